# frozen_string_literal: true

module Spate
  # Runs inside an application's process: core Ruby, spate/native/boot and the files that docs/architecture.md
  # lists, each loaded by its absolute path, because $LOAD_PATH belongs to the program. Compile caches are made,
  # inspected and removed by Spate::CompileCache, in other processes.
  #
  # `Start` has the order of a boot, `Session` its state; `Exec` is the additional part of `spate exec`.
  module Boot
    FOLDER = __dir__
    # Spate's own library, which is not on the program's $LOAD_PATH.
    LIBRARY = File.expand_path("../..", __dir__)
    # RubyGems' folder for Spate's compiled extension.
    EXTENSIONS = %r{/extensions/[^/]+/[^/]+/spate-[^/]+\z}

    {
      Application: "application", Background: "background", BootEnd: "boot_end", Bootsnap: "bootsnap",
      BootLog: "boot_log", BundlerReplay: "bundler_replay", CompileCacheFolder: "compile_cache_folder", Log: "log",
      RubyKey: "ruby_key", Session: "session", Start: "start", Switches: "switches", YamlCache: "yaml_cache"
    }.each { |name, file| autoload name, "#{FOLDER}/#{file}" }

    # The part of `spate exec` beyond `require "spate/boot"`.
    module Exec
      {
        BundlerSetup: "bundler_setup", Children: "children", Heap: "heap", Interpreter: "interpreter",
        Prelude: "prelude", Program: "program"
      }.each { |name, file| autoload name, "#{FOLDER}/exec/#{file}" }
    end

    class << self
      # The boot of this process. Its `parts` (Hash) has `true` for each active part, or the reason why it is inactive.
      #
      # @return [#parts, nil] nil if Spate takes no part in the boot
      attr_reader :session

      # @return [#call, nil] what {instrumentation=} was given
      attr_reader :instrumentation

      # Reports each file that is loaded from a compile cache, or why it is not.
      #
      # @param block [#call, nil] called with (event, path, reason) for `:hit`, `:miss`, `:stale`, `:revalidated`,
      #   `:damaged`, `:warns` and `:rebuilt`; nil turns it off
      def instrumentation=(block)
        @instrumentation = block
        Log.listen(block)
      end

      # @!visibility private

      # Once per process. from: the calling file, which decides the application; nil: the one of this folder. Returns
      # the session, or nil under SPATE_BOOT=0. program: see Start; with one, an error of Bundler's about a bundle that
      # cannot be set up is raised, and nothing else.
      def start(from = nil, program: nil)
        @session ||= Start.new(from: from, program: program).call
      rescue StandardError, LoadError, NotImplementedError => e
        raise if program

        Log.warn("this boot goes on without Spate: #{e.class}: #{e.message.lines.first.to_s.chomp}")
        nil
      end

      def load_native
        at_home { require "spate/native/boot" }
      end

      # Replaces a method's body, without the warning of -w.
      def replace(owner, name, body)
        verbose = $VERBOSE
        $VERBOSE = nil
        owner.define_method(name, body)
      ensure
        $VERBOSE = verbose
      end

      # Removes the folders that the launcher put on $LOAD_PATH.
      def leave
        @homes = $LOAD_PATH.select { |path| path == LIBRARY || path.match?(EXTENSIONS) }
        @homes.each { |path| $LOAD_PATH.delete(path) }
      end

      # Runs the block with Spate's library on $LOAD_PATH.
      def at_home
        added = (@homes || [LIBRARY]) - $LOAD_PATH
        $LOAD_PATH.push(*added)
        yield
      ensure
        added.each { |path| $LOAD_PATH.delete(path) }
      end
    end
  end
end
