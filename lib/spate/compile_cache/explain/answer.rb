# frozen_string_literal: true

module Spate
  module CompileCache
    class Explain
      # The answers of the load-path cache, Ruby and the compile caches for one feature, or for a file by its path.
      class Answer
        # session: of this process; nil if Spate takes no part in its boot.
        def initialize(feature, session)
          @feature = feature
          @session = session
        end

        # feature          the argument
        # load_path_cache  its answer (LoadPathCache::Explanation#to_h), or why it is inactive (String)
        # ruby             the path that Ruby itself finds, or nil
        # folders          the number of folders in $LOAD_PATH, and of those before the chosen one
        # path             of the file that would be loaded, or nil
        # compile_cache    of the first that has the file: {role: "overlay", path:, state:, reason:, bytes:}, or nil
        # outcome          of loading it now: :hit, :revalidated, :stale, :warns, :gone, :miss, :library or :builtin
        # why              the outcome as text
        # parts            those of the boot, true or the reason why inactive
        def to_h
          return builtin if builtin?

          cache, outcome, why = file
          { feature: @feature, load_path_cache: load_path_cache, ruby: ruby, path: path, folders: folders,
            compile_cache: cache, outcome: outcome, why: why, parts: @session&.parts }
        end

        private

        # Features built into Ruby have a name without path: "set.rb" since 4.0, "enumerator.so". Ruby looks for a .rb
        # beside "enumerator.so".
        def builtin?
          return false if file?

          names = [@feature, "#{@feature}.rb", *("#{@feature}.so" unless ruby)]
          names.any? { |name| $LOADED_FEATURES.include?(name) }
        end

        def builtin
          { feature: @feature, load_path_cache: nil, ruby: nil, path: nil, folders: folders, compile_cache: nil,
            outcome: :builtin, why: "Ruby loads it before any `require`", parts: @session&.parts }
        end

        def file? = @feature.match?(%r{\A(/|\.\.?/|~)})

        def load_path_cache
          return if file?
          return "Spate is not active in this boot" unless @session
          return @session.parts[:load_path_cache] unless @session.on?(:load_path_cache)

          Boot.at_home { LoadPathCache::Explanation } # loaded before the call, because the call uses another $LOAD_PATH
          @load_path_cache ||= LoadPathCache.explain(@feature)
        end

        def ruby
          return (File.file?(File.expand_path(@feature)) ? File.expand_path(@feature) : nil) if file?

          @ruby ||= $LOAD_PATH.resolve_feature_path(@feature)&.last
        rescue LoadError
          nil
        end

        def path
          chosen = load_path_cache.is_a?(Hash) ? load_path_cache[:chosen] : nil
          utf8(chosen.nil? ? ruby : chosen || nil)
        end

        # Paths are in UTF-8 in compile caches, and in the locale's encoding in Ruby.
        def utf8(path) = path&.dup&.force_encoding(Encoding::UTF_8)

        def folders
          position = path && $LOAD_PATH.index { |folder| path.start_with?(utf8("#{folder}/")) }
          { all: $LOAD_PATH.size, before: position }
        end

        # [compile cache, outcome, why]
        def file
          return [nil, :gone, "no file has this name"] unless path
          return [nil, :library, "a shared library, which Ruby loads"] unless path.match?(/\.rb\z|\A[^.]+\z/)

          role, cache = caches.find { |_, candidate| candidate.entry(path) }
          return [nil, :miss, missing] unless cache

          state, reason = Boot::Log::Outcomes.state(path)
          [{ role: role, path: cache.path, bytes: cache.entry(path)[:bytes] }, state, reason]
        end

        def missing
          return "Spate is not active in this boot" unless @session
          return "the loader is not active: #{@session.parts[:loader]}" unless @session.on?(:loader)

          @session.cache ? "it is not in a compile cache" : "the application has no compile cache yet"
        end

        def caches
          return [] unless @session&.on?(:loader)

          [["overlay", @session.overlay], ["application", @session.cache], ["gem", of_gem]].select(&:last)
        end

        def of_gem
          dir, cache = Native::Loader.gem_caches.to_h.find { |root, _| path.start_with?("#{root}/") }
          Native::CompileCache.open(cache, key: Boot::RubyKey.current) if dir
        rescue Native::CompileCache::Unusable
          nil
        end
      end
    end
  end
end
