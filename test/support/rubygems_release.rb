# frozen_string_literal: true

require "fileutils"
require "open3"
require "rbconfig"

# The newest Bundler of a minor version, and the RubyGems released with it, in a separate folder. They are downloaded
# from the gem source on first use.
#
#   release = RubygemsRelease.new("2.6")     # with RubyGems 3.6
#   release.missing                          # => nil, or the reason why this Ruby cannot use it
#   release.environment                      # => variables with which a child process finds the Bundler
#   release.environment(rubygems: true)      # => and uses that RubyGems
class RubygemsRelease
  def initialize(line)
    @line = line
    @home = File.expand_path("../../tmp/rubygems/#{RbConfig::CONFIG["ruby_version"]}/#{line}", __dir__)
  end

  # nil if it can be used, else the reason why not.
  def missing
    return @missing if defined?(@missing)

    @missing = fetch
  end

  # Bundler's version: "2.6.9".
  def bundler = version("bundler")
  def rubygems = version("rubygems-update")

  # A final ":" adds the default folders.
  def environment(rubygems: false)
    { "GEM_PATH" => "#{@home}:", "PATH" => "#{@home}/bin:#{ENV.fetch("PATH")}",
      "RUBYLIB" => ("#{@home}/rubygems" if rubygems) }
  end

  private

  # Accepts a beta if there is no release of this minor version yet.
  def wanted = "~> #{@line}.0.a"

  # RubyGems was at 3.3 when Bundler was at 2.3. Since 4 they have the same version numbers.
  def wanted_rubygems = wanted.sub("~> 2.", "~> 3.")

  def version(name)
    File.basename(Dir.glob("#{@home}/gems/#{name}-[0-9]*").first).delete_prefix("#{name}-")
  end

  # Downloads under a lock. The library is copied last, which marks completion. Returns nil, or the error.
  def fetch
    FileUtils.mkdir_p(@home)
    File.open("#{@home}/.lock", File::RDWR | File::CREAT) do |lock|
      lock.flock(File::LOCK_EX)
      next if File.directory?("#{@home}/rubygems")

      output, status = Open3.capture2e({ "GEM_HOME" => nil, "GEM_PATH" => nil, "RUBYOPT" => nil, "RUBYLIB" => nil },
                                       RbConfig.ruby, "-S", "gem", "install", "bundler:#{wanted}",
                                       "rubygems-update:#{wanted_rubygems}", "--install-dir", @home, "--no-document")
      status.success? ? take_library : "no Bundler #{@line} for Ruby #{RUBY_VERSION}: #{reason(output)}"
    end
  end

  def reason(output) = output[/^.*requires Ruby version.*$/]&.strip || output.lines.last

  # Copies the library without its bundled Bundler, which is installed as a gem.
  def take_library
    library = Dir.glob("#{@home}/gems/rubygems-update-*/lib").first
    FileUtils.mkdir_p("#{@home}/copy")
    FileUtils.cp_r(Dir.glob("#{library}/rubygems{,.rb}"), "#{@home}/copy")
    File.rename("#{@home}/copy", "#{@home}/rubygems")
    nil
  end
end
