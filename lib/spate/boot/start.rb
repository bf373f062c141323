# frozen_string_literal: true

module Spate
  module Boot
    # The steps of a boot, in order. If one fails, only dependent steps are skipped.
    class Start
      # Reasons of Unusable that may mean that another user has written the compile cache.
      FOREIGN = %i[foreign_owner writable symlink].freeze

      # program: how the process was started. :exec: by `spate exec`, which has not found the program yet and needs the
      # bundle's environment. :ruby: as a Ruby that runs a program and needs the bundle. nil: by other means; the
      # application sets up the bundle itself (`require "spate/boot"`).
      def initialize(from: nil, program: nil, env: ENV)
        @from = from
        @program = program
        @env = env
      end

      def call
        switches = Switches.new(@env)
        return unless switches.boot?

        Exec::Heap.unset(@env)
        @session = Session.new(switches, Application.find(from: @from, env: @env), @env.to_h)
        @session.part(:heap, wanted: switches.heap?) { Exec::Heap.state(@env) }
        caches
        @session.part(:lean, wanted: switches.prelude? && @program) { Exec::Prelude.start }
        program_start
        bundle
        Exec::Prelude.messages if @program
        load_path_cache
        bootsnap_and_yaml
        @session.part(:boot_end) { BootEnd.arm(@session) }
        @session
      end

      private

      def switches = @session.switches

      def program_start
        return unless @program

        Exec::Prelude.rubygems
        Exec::Prelude.messages unless @program == :ruby && Exec::Prelude.bundle_first?
      end

      def caches
        @session.part(:compile_cache) do
          Boot.load_native
          Log.start(switches)
          @session.caches = CompileCacheFolder.of(@env)
          open_compile_caches
        end
        @session.part(:loader, wanted: switches.loader?) { loader }
      end

      def open_compile_caches
        caches = @session.caches
        refusal = caches.refusal
        if refusal
          @session.warn_once("compile caches are not used: #{refusal}")
          return refusal
        end
        @session.cache = cache(caches.application_path(@session.application))
        # If another user may have written one of the two caches, neither is trusted.
        @session.overlay = cache(caches.overlay_path(@session.application)) unless @foreign
        @session.cache ? true : "no compile cache yet"
      end

      # Native::CompileCache; nil unless one is usable.
      def cache(path)
        Native::CompileCache.open(path, key: RubyKey.current)
      rescue Native::CompileCache::Unusable => e
        @foreign = FOREIGN.include?(e.reason)
        @session.warn_once(e.message) unless e.reason == :missing
        nil
      end

      def loader
        return "no compile caches" unless @session.caches

        loader = Native::Loader
        return "Coverage is running" if defined?(::Coverage) && ::Coverage.respond_to?(:running?) && ::Coverage.running?

        return "with -w, Ruby #{RUBY_VERSION} compiles all files to warn about unused blocks" if warns_of_unused_blocks?
        return RubyKey.obstacle if RubyKey.obstacle

        loader.install
        loader.key = RubyKey.current
        loader.gem_caches = gem_caches
        [@session.overlay, @session.cache].compact.each { |cache| loader.add(cache) }
        loader.recording = true unless @session.readonly?
        true
      end

      # Whether Ruby warns about unused blocks. The warning depends on all methods of that name that Ruby has compiled
      # before, so loading files from a compile cache would change it.
      def warns_of_unused_blocks? = RUBY_VERSION >= "3.4" && $VERBOSE

      # {gem folder => path of its compile cache}
      def gem_caches
        lines = @session.data("bundles").to_s.dup.force_encoding(Encoding::UTF_8).lines(chomp: true)
        lines.to_h { |line| line.split("\t", 2) }
      end

      def bundle
        @session.part(:replay, wanted: switches.replay?) { replay }
        real unless @session.on?(:replay)
        Exec::Children.take_over(@session) if @program || @session.on?(:replay)
      end

      def real
        case @program
        when :exec then Exec::BundlerSetup.environment
        when :ruby then Exec::BundlerSetup.set_up
        end
      end

      def replay
        return "Bundler has already set up the bundle" if Exec::BundlerSetup.set_up?

        records = BundlerReplay.records(@session)
        return without_replay if records.empty?

        record, usable = records.choose(@env)
        unless record
          @session.outdated = records.outdated?(@env)
          return usable
        end

        BundlerReplay.activate(record).tap do |answer|
          Exec::BundlerSetup.library_first if answer == true && @program == :exec
        end
      end

      def without_replay
        return "no compile cache yet" unless @session.cache

        lockfile = @session.application.lockfile
        @session.outdated = !lockfile.nil? && File.file?(lockfile)
        "the compile cache has none"
      end

      def load_path_cache
        @session.part(:load_path_cache, wanted: switches.load_path_cache?) do
          bytes = @session.data("load_path_cache") or next "no compile cache yet"

          Native::Requirer.install(bytes)
          true
        end
      end

      def bootsnap_and_yaml
        @session.part(:bootsnap) { Bootsnap.deactivate(@session) }
        @session.part(:yaml, wanted: switches.yaml?) { YamlCache.arm(@session) }
      end
    end
  end
end
