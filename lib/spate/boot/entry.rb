# frozen_string_literal: true

module Spate
  # Runs inside an application's process. Uses only core Ruby, spate/native/boot and the files that docs/architecture.md
  # lists, each loaded by its absolute path, because $LOAD_PATH belongs to the program. Spate::CompileCache builds,
  # inspects and removes compile caches in other processes.
  #
  # `Start` has the order of a boot, `Session` its state; `Exec` is the additional part of `spate exec`.
  module Boot
    FOLDER = __dir__
    # Spate's own library, which is not on the program's $LOAD_PATH.
    LIBRARY = File.expand_path("../..", __dir__)
    # The folder where RubyGems puts Spate's compiled extension.
    EXTENSIONS = %r{/extensions/[^/]+/[^/]+/spate-[^/]+\z}

    {
      Application: "application", Background: "background", BootEnd: "boot_end", Bootsnap: "bootsnap",
      BootLog: "boot_log", BundlerReplay: "bundler_replay", CompileCacheFolder: "compile_cache_folder", Log: "log",
      RubyKey: "ruby_key", Session: "session", Start: "start", Switches: "switches", WarmParent: "warm_parent",
      YamlCache: "yaml_cache"
    }.each { |name, file| autoload name, "#{FOLDER}/#{file}" }

    # The additional parts of `spate exec`, compared with `require "spate/boot"`.
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

      # Runs once per process. from: the calling file, which determines the application; nil: the application of the
      # current folder. Returns the session, or nil under SPATE_BOOT=0. program: see Start; if set, Bundler's error
      # about a bundle that cannot be set up is raised. No other error is.
      def start(from = nil, program: nil)
        @session ||= Start.new(from: from, program: program).call
      rescue StandardError, LoadError, NotImplementedError => e
        raise if program

        Log.warn("booting without Spate: #{e.class}: #{e.message.lines.first.to_s.chomp}")
        nil
      end

      def load_native
        at_home { require "spate/native/boot" }
      end

      # Replaces a method without the warning of -w.
      def replace(owner, name, body)
        verbose = $VERBOSE
        $VERBOSE = nil
        owner.define_method(name, body)
      ensure
        $VERBOSE = verbose
      end

      # Removes the folders that the launcher added to $LOAD_PATH.
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
