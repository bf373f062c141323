# frozen_string_literal: true

module Spate
  module CompileCache
    class Explain
      # The facts about one feature or file: results of the load-path cache, of Ruby, and of the compile caches.
      class Answer
        # session: the Boot::Session of this process, or nil if Spate is off.
        def initialize(feature, session)
          @feature = feature
          @session = session
        end

        # feature          the argument
        # load_path_cache  LoadPathCache::Explanation#to_h, or the reason why it is inactive (String)
        # ruby             the path that Ruby finds, or nil
        # folders          the number of folders in $LOAD_PATH, and the number of folders before the chosen one
        # path             the file that would be loaded, or nil
        # compile_cache    the first one that contains the file: {role: "overlay", path:, bytes:}, or nil
        # outcome          if loaded now: :hit, :revalidated, :stale, :warns, :gone, :miss, :library or :builtin
        # why              the outcome as text
        # parts            {part of the boot => true, or the reason why it is inactive}
        def to_h
          return builtin if builtin?

          cache, outcome, why = file
          { feature: @feature, load_path_cache: load_path_cache, ruby: ruby, path: path, folders: folders,
            compile_cache: cache, outcome: outcome, why: why, parts: @session&.parts }
        end

        private

        # Features built into Ruby are in $LOADED_FEATURES without a folder: "set.rb" since 4.0, "enumerator.so". Ruby
        # prefers an existing .rb file to "enumerator.so".
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

          Boot.with_library { LoadPathCache::Explanation } # loaded now, because $LOAD_PATH lacks Spate later
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

        # Converts a path from the locale's encoding, which Ruby uses, to UTF-8, which compile caches use.
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
