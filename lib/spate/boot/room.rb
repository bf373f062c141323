# frozen_string_literal: true

module Spate
  # From an installed bundle to a running application. Loaded in the application's own process: core Ruby and
  # spate/native/boot only, and every file by its absolute path, for the program's $LOAD_PATH is the program's.
  #
  # Reading order: start, session, switches; then what each part does: lean, heap, children, bootsnap, yaml_cache.
  module Boot
    FOLDER = __dir__
    # Where Spate's own library is, without a place for it on the program's $LOAD_PATH.
    LIBRARY = File.expand_path("../..", __dir__)
    # Where RubyGems keeps what it compiled for Spate.
    EXTENSIONS = %r{/extensions/[^/]+/[^/]+/spate-[^/]+\z}

    {
      AppImage: "app_image", Application: "application", Background: "background", BootEnd: "boot_end",
      Bootsnap: "bootsnap", Builder: "builder", Bundled: "bundled", Children: "children", Clear: "clear",
      Compiler: "compiler", Explain: "explain", GemBundle: "gem_bundle", Heap: "heap", Home: "home", Images: "images",
      Index: "index", Instrumentation: "instrumentation", Interpreter: "interpreter", Journal: "journal", Lean: "lean",
      Log: "log", Program: "program", Recording: "recording", RubyKey: "ruby_key", Session: "session",
      Standin: "standin", Start: "start", Status: "status", Stretch: "stretch", Switches: "switches", Tidy: "tidy",
      Verify: "verify", YamlCache: "yaml_cache"
    }.each { |name, file| autoload name, "#{FOLDER}/#{file}" }

    class << self
      # The boot of this process, nil where Spate takes no part in it.
      attr_reader :session

      # Called as (event, path, reason) with :hit, :miss, :stale, :revalidated, :damaged, :warns or
      # :rebuilt; nil turns it off.
      attr_reader :instrumentation

      def instrumentation=(block)
        @instrumentation = block
        Log.listen(block)
      end

      # Starts once a process. from: the file that asks, whose application it then is; nil: the one of this folder.
      # Answers the session, or nil where SPATE_BOOT=0. program: see Start; where it is given, what Bundler raises when
      # the bundle cannot be set up is raised, and nothing else.
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

      # Gives a method another body for a while, without a word under -w.
      def replace(owner, name, body)
        verbose = $VERBOSE
        $VERBOSE = nil
        owner.define_method(name, body)
      ensure
        $VERBOSE = verbose
      end

      # Takes the folders away from the $LOAD_PATH that the launcher put there: the program's is the program's.
      def leave
        @homes = $LOAD_PATH.select { |path| path == LIBRARY || path.match?(EXTENSIONS) }
        @homes.each { |path| $LOAD_PATH.delete(path) }
      end

      # Runs the block with Spate's library on the $LOAD_PATH.
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
