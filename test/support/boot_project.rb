# frozen_string_literal: true

require "fileutils"
require "open3"
require "rubygems"
require "support/spate_command"

module Spate
  # A tiny application for many boots. Its bundle is written in Bundler's layout without running a command. Its program
  # prints details of the boot (BootGems::MAIN).
  class BootProject
    PROBE = File.expand_path("../../benchmark/support/boot_probe.rb", __dir__)
    LIBRARY = File.expand_path("../../lib", __dir__)
    SPATE = SpateCommand.words
    # An address without a server. No boot may connect to it.
    SOURCE = "http://localhost:9"
    PARTS = { load_path_cache: "SPATE_NO_LOAD_PATH_CACHE", bundle: "SPATE_NO_BUNDLE", replay: "SPATE_NO_REPLAY" }.freeze

    # The result of a run: stdout, stderr, the exit code or signal, and the facts of benchmark/support/boot_probe.rb.
    Result = Struct.new(:out, :err, :code, :facts) do
      def loader = facts[:loader].to_h
      def hits = loader[:hit].to_i + loader[:revalidated].to_i
    end

    attr_reader :folder, :home

    def initialize(folder, home: "#{folder}-home")
      @folder = folder
      @home = home
      FileUtils.mkdir_p([folder, home])
    end

    # Variables that enable only this part of Spate; nil: all parts.
    def self.only(part)
      return {} unless part

      PARTS.except(part).transform_keys(&:to_s).to_h { |_, name| [name, "1"] }
           .merge("SPATE_LEAN" => "0", "SPATE_HEAP" => "0")
    end

    def path(*parts) = File.join(folder, *parts)
    def bundle_root = path("vendor/bundle", Layout.ruby_scope)
    def gem(full_name, *parts) = File.join(bundle_root, "gems", full_name, *parts)

    def write(relative, content)
      FileUtils.mkdir_p(File.dirname(path(relative)))
      File.write(path(relative), content)
    end

    # files: {"lib/alpha.rb" => content}. Writes them like an install.
    def add_gem(name, version, files, dependencies: {}, require_paths: ["lib"])
      scope = "vendor/bundle/#{Layout.ruby_scope}"
      files.each { |file, content| write("#{scope}/gems/#{name}-#{version}/#{file}", content) }
      spec = Gem::Specification.new(name, version) do |it|
        it.summary = it.name
        it.authors = ["Nobody"]
        it.files = files.keys
        it.require_paths = require_paths
        dependencies.each { |other, requirement| it.add_dependency(other, requirement) }
      end
      write("#{scope}/specifications/#{name}-#{version}.gemspec", spec.to_ruby)
    end

    def env(more = {})
      { "HOME" => home, "SPATE_HOME" => "#{home}/spate", "XDG_CACHE_HOME" => nil,
        "BUNDLE_USER_HOME" => "#{home}/.bundle", "BUNDLE_PATH" => "vendor/bundle", "BUNDLE_GEMFILE" => nil,
        "BUNDLE_VERSION" => "system", "RUBYOPT" => nil, "RUBYLIB" => nil, "GEM_HOME" => nil, "GEM_PATH" => nil,
        "CI" => nil, "NO_COLOR" => "1", "BUNDLE_FROZEN" => nil, "BUNDLE_SILENCE_ROOT_WARNING" => "true",
        "BOOT_PROBE" => PROBE, "BOOT_FACTS" => "#{home}/facts" }.merge(more)
    end

    def run(*command, chdir: folder, **more)
      FileUtils.rm_f("#{home}/facts")
      out, err, status = Open3.capture3(env(more.transform_keys(&:to_s)), *command, chdir: chdir, stdin_data: "")
      facts = "#{home}/facts"
      found = File.exist?(facts) ? Marshal.load(File.binread(facts)) : {} # rubocop:disable Security/MarshalLoad
      Result.new(out, err, status.exitstatus || status.termsig.to_s, found)
    end

    # Runs the program with plain Ruby in the same state.
    def plain(*arguments, **more) = run("bundle", "exec", "ruby", *program(arguments), **more)

    # Runs the program with Spate. part: :load_path_cache, :bundle or :replay to use only that part, nil for all.
    # readonly: whether the boot may not write compile caches.
    def spate(*arguments, part: nil, readonly: true, chdir: folder, **more)
      more = { "SPATE_READONLY" => ("1" if readonly) }.merge(BootProject.only(part), more.transform_keys(&:to_s))
      run(*SPATE, "exec", "ruby", *program(arguments), chdir: chdir, **more)
    end

    # Boots until files are loaded from compile caches, with fewer than 20 misses. Returns the Result of the last boot.
    def warm(*arguments, **more)
      3.times do
        spate(*arguments, readonly: false, **more)
        settle
        result = spate(*arguments, **more)
        return result if result.hits.positive? && result.loader[:miss].to_i < 20
      end
      raise "no compile caches: #{spate(*arguments, **more)}\n#{Dir.glob("#{caches}/**/*").join("\n")}\n" \
            "#{Dir.glob("#{caches}/boots/*.log").map { |log| File.read(log) }.join}"
    end

    # Waits until no builder is running.
    def settle
      2400.times do # for large applications on a busy machine
        sleep 0.05
        return if builders.empty?
      end
      raise "a builder does not end: #{builders}"
    end

    # Process IDs of the builders for this home. Compares bytes, because a home may have any characters.
    def builders
      variable = "SPATE_HOME=#{home}/spate".b
      Dir.glob("/proc/[0-9]*/environ").filter_map do |file|
        pid = file[/\d+/].to_i
        pid if pid != Process.pid && File.binread(file).split("\0").include?(variable)
      rescue SystemCallError
        nil
      end
    end

    # The folder of this Ruby's compile caches.
    def caches = File.dirname(Dir.glob("#{home}/spate/store/v1/compile-cache/*/boots").first.to_s)

    private

    def program(arguments) = arguments.empty? ? ["main.rb"] : arguments
  end
end
