# frozen_string_literal: true

module Spate
  # The part of Spate that runs inside an application's process. Uses only core Ruby, spate/native/boot and the files
  # listed in docs/architecture.md, each loaded by its absolute path, because $LOAD_PATH belongs to the program.
  # Spate::CompileCache builds, inspects and removes compile caches in other processes.
  #
  # `Start` runs the steps of a boot in order, `Session` stores its state, and `Exec` contains the parts that only
  # `spate exec` needs.
  module Boot
    FOLDER = __dir__
    # The folder of Spate's library, which is not on the program's $LOAD_PATH.
    LIBRARY = File.expand_path("../..", __dir__)
    # The folder where RubyGems installs Spate's compiled extension.
    EXTENSIONS = %r{/extensions/[^/]+/[^/]+/spate-[^/]+\z}

    {
      Application: "application", Background: "background", BootEnd: "boot_end", Bootsnap: "bootsnap",
      BootLog: "boot_log", BundlerReplay: "bundler_replay", CompileCacheFolder: "compile_cache_folder", Log: "log",
      RubyKey: "ruby_key", Session: "session", Start: "start", Switches: "switches", WarmParent: "warm_parent",
      YamlCache: "yaml_cache"
    }.each { |name, file| autoload name, "#{FOLDER}/#{file}" }

    # Parts of a boot that `spate exec` uses but `require "spate/boot"` does not.
    module Exec
      {
        BundlerSetup: "bundler_setup", Children: "children", Heap: "heap", Interpreter: "interpreter",
        Prelude: "prelude", Program: "program"
      }.each { |name, file| autoload name, "#{FOLDER}/exec/#{file}" }
    end

    class << self
      # The boot of this process. Its `parts` (Hash) maps each part to `true` if it is active, otherwise to the reason
      # (String).
      #
      # @return [#parts, nil] nil if Spate is turned off for this boot
      attr_reader :session

      # @return [#call, nil] the callable given to {instrumentation=}
      attr_reader :instrumentation

      # Reports each file that is loaded from a compile cache, or why it is compiled by Ruby instead.
      #
      # @param block [#call, nil] called with (event, path, reason) for `:hit`, `:miss`, `:stale`, `:revalidated`,
      #   `:damaged`, `:warns` and `:rebuilt`; nil removes the block
      def instrumentation=(block)
        @instrumentation = block
        Log.listen(block)
      end

      # @!visibility private

      # Starts the boot, once per process. Returns the session, or nil under SPATE_BOOT=0. from: the calling file, which
      # determines the application; nil to search from the current directory. program: see Start. Raises only if program
      # is set and the bundle cannot be set up (Bundler's error).
      def start(from = nil, program: nil)
        return other_engine unless program || RUBY_ENGINE == "ruby"

        @session ||= Start.new(from: from, program: program).call
      rescue StandardError, LoadError, NotImplementedError => e
        raise if program

        Log.warn("booting without Spate: #{e.class}: #{e.message.lines.first.to_s.chomp}")
        nil
      end

      # The extension and compile caches exist for CRuby only.
      def other_engine
        return unless Switches.new.boot?

        Log.warn("booting without Spate: expected CRuby, found #{RUBY_ENGINE} #{RUBY_ENGINE_VERSION}")
        nil
      end

      def load_native
        with_library { require "spate/native/boot" }
      end

      # Replaces a method without Ruby's warning about redefinition.
      def replace(owner, name, body)
        verbose = $VERBOSE
        $VERBOSE = nil
        owner.define_method(name, body)
      ensure
        $VERBOSE = verbose
      end

      # Removes the folders that the launcher added to $LOAD_PATH.
      def remove_from_load_path
        @homes = $LOAD_PATH.select { |path| path == LIBRARY || path.match?(EXTENSIONS) }
        @homes.each { |path| $LOAD_PATH.delete(path) }
      end

      # Runs the block with Spate's library on $LOAD_PATH.
      def with_library
        added = (@homes || [LIBRARY]) - $LOAD_PATH
        $LOAD_PATH.push(*added)
        yield
      ensure
        added.each { |path| $LOAD_PATH.delete(path) }
      end
    end
  end
end
