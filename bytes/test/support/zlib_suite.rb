# frozen_string_literal: true

require "open3"
require "rbconfig"
require "fileutils"

module Spate
  # Ruby's own tests of zlib, from Debian's source package of the running Ruby. Downloaded once and stored below tmp/.
  # They run against the stock library or against Spate's.
  class ZlibSuite
    ROOT = File.expand_path("../../..", __dir__)
    VERSION = RUBY_VERSION[/\A\d+\.\d+/]
    SHIM = File.join(__dir__, "zlib_suite_shim.rb")

    # The reason why the tests are not available here.
    class Unavailable < StandardError; end

    def initialize(folder: File.join(ROOT, "tmp/zlib-suite/#{RUBY_VERSION}"))
      @folder = folder
      @file = File.join(folder, "test_zlib.rb")
    end

    # Returns { "TestZlib#test_crc32" => "." }, with F, E and S as printed by minitest. library: :stock or :spate.
    def run(library)
      out, = Open3.capture2e({ "RUBYOPT" => nil }, RbConfig.ruby, "-W0", "-I#{File.join(ROOT, "bytes/lib")}", SHIM,
                             library.to_s, fetch, "--verbose")
      results = out.scan(/^(\w+#\w+) = [\d.]+ s = (.)$/).to_h
      [results, out]
    end

    # Returns the path of the file. Raises Unavailable.
    def fetch
      FileUtils.mkdir_p(@folder)
      File.open(File.join(@folder, "lock"), "w") do |lock|
        lock.flock(File::LOCK_EX)
        download unless File.exist?(@file)
      end
      @file
    end

    private

    def download
      mirror, suite = apt_source
      File.write(File.join(@folder, "sources.list"), "deb-src #{mirror} #{suite} main\n")
      apt("update", "-q")
      apt("source", "-q", "--download-only", "ruby#{VERSION}")
      archive = Dir[File.join(@folder, "ruby*.orig.tar.*")].first
      raise Unavailable, "Debian's source package of ruby#{VERSION} has no archive" unless archive

      unpack(archive)
    end

    # Returns the Debian mirror and suite that apt uses on this machine.
    def apt_source
      lines, status = Open3.capture2("apt-get", "indextargets", "--format", "$(SITE) $(CODENAME) $(CREATED_BY)")
      found = lines.lines.map(&:split).find { |site, _, by| by == "Packages" && site.match?(%r{/debian/?\z}) }
      raise Unavailable, "apt has no Debian mirror here" unless status.success? && found

      found.first(2)
    rescue SystemCallError
      raise Unavailable, "apt is not available"
    end

    # Runs apt with separate lists and caches, independent of the machine's.
    def apt(command, *arguments)
      %w[lists/partial cache/archives/partial].each { |name| FileUtils.mkdir_p(File.join(@folder, name)) }
      options = { "Dir::Etc::SourceList" => File.join(@folder, "sources.list"), "Dir::Etc::SourceParts" => "-",
                  "Dir::State::Lists" => File.join(@folder, "lists"), "Dir::Cache" => File.join(@folder, "cache"),
                  "APT::Sandbox::User" => Process.euid.zero? ? "root" : "", "Acquire::http::Timeout" => "20",
                  "Acquire::Retries" => "1" }
      out, status = Open3.capture2e("apt-get", *options.flat_map { |name, value| ["-o", "#{name}=#{value}"] },
                                    command, *arguments, chdir: @folder)
      raise Unavailable, "apt-get #{command} failed: #{out.lines.last.to_s.strip}" unless status.success?
    end

    def unpack(archive)
      fresh = File.join(@folder, "fresh")
      FileUtils.mkdir_p(fresh)
      out, status = Open3.capture2e("tar", "-xf", archive, "-C", fresh, "--strip-components=3", "--wildcards",
                                    "*/test/zlib/test_zlib.rb")
      raise Unavailable, "the source package has no test/zlib: #{out.lines.last}" unless status.success?

      FileUtils.rm_rf([File.join(@folder, "lists"), File.join(@folder, "cache"), *Dir[File.join(@folder, "ruby*")]])
      File.rename(File.join(fresh, "test_zlib.rb"), @file)
    end
  end
end
