# frozen_string_literal: true

require "spate/native/boot"

module Spate
  module CompileCache
    # The load-path cache of a load path (docs/load-path-cache.md). It is the data "load_path_cache" in an application's
    # compile cache, and is used by Spate::Native::Requirer.
    module LoadPathCache
      # Where `require feature` would find its file now, which other files match, and why they are not chosen.
      class Explanation
        def initialize(feature)
          @feature = feature
          @chosen = Native::Requirer.find(feature)
          @candidates = Native::Requirer.candidates(feature).sort_by { |one| [one[:position] || 1 << 30, one[:kind]] }
        end

        # {feature:, chosen: path, false (nowhere) or nil (Ruby searches by itself), loaded: :loaded, :alike or nil,
        #  why: one line, candidates: [{path:, position:, kind:, why:}, ...] in the order of $LOAD_PATH}
        def to_h
          { feature: @feature, chosen: @chosen, loaded: Native::Requirer.loaded(@feature, @chosen || nil), why: why,
            candidates: @candidates.map { |candidate| candidate.merge(why: reason(candidate)) } }
        end

        private

        def why
          return "Ruby searches: the name is not a plain relative path, or a folder cannot be listed" if @chosen.nil?
          return "not found in $LOAD_PATH" unless @chosen

          position = @candidates.find { |candidate| candidate[:path] == @chosen }&.fetch(:position)
          "the first in $LOAD_PATH, at #{position}"
        end

        def reason(candidate)
          return "chosen" if candidate[:path] == @chosen
          return "its root is not in $LOAD_PATH" unless candidate[:position]
          return "Ruby prefers .rb anywhere to .#{candidate[:kind]}" if candidate[:kind] == :so && rb_chosen?

          "after the chosen one in $LOAD_PATH"
        end

        def rb_chosen? = @chosen ? @chosen.end_with?(".rb") : false
      end

      module_function

      # Builds a load-path cache and returns its bytes. The load path's roots come first; `extra_roots` are folders that
      # programs were observed to add. Relative and non-String entries are resolved now. Missing folders are kept
      # because they may be created later. The same trees give the same bytes. ignored: comma-separated names and
      # absolute paths of folders (bootsnap's BOOTSNAP_IGNORE_DIRECTORIES) that are scanned only on demand.
      def build(load_path, extra_roots: [], ignored: nil)
        paths = absolute(load_path)
        Native::LoadPathCache.build((paths + absolute(extra_roots)), paths.size, ignored)
      end

      # Where `require feature` would find its file now, and why: see Explanation.
      def explain(feature) = Explanation.new(feature).to_h

      def absolute(entries)
        entries.filter_map do |entry|
          path = entry.respond_to?(:to_path) ? entry.to_path : entry
          next unless path.is_a?(String) && !path.empty? && !path.include?("\0")

          path.start_with?("/") ? path : File.expand_path(path)
        end
      end
      private_class_method :absolute
    end
  end
end
