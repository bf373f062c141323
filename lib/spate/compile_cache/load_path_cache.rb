# frozen_string_literal: true

require "spate/native/boot"

module Spate
  module CompileCache
    # Builds and explains load-path caches (docs/load-path-cache.md). A load-path cache is the data "load_path_cache" in
    # an application's compile cache. Spate::Native::Requirer uses it.
    module LoadPathCache
      # Explains which file `require feature` would load now, which other files match, and why these are not chosen.
      class Explanation
        def initialize(feature)
          @feature = feature
          @chosen = Native::Requirer.find(feature)
          @candidates = Native::Requirer.candidates(feature).sort_by { |one| [one[:position] || 1 << 30, one[:kind]] }
        end

        # {feature:, chosen: path, false (not found) or nil (Ruby searches itself), loaded: :loaded, :alike or nil,
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

      # Builds a load-path cache and returns its bytes. extra_roots: folders that boots have added to the load path;
      # they are placed after its folders. Relative and non-String entries are resolved now. Missing folders are
      # included, because they may be created later. The same trees result in the same bytes. ignored: names and
      # absolute paths of folders that are scanned only on demand, separated by commas (bootsnap's
      # BOOTSNAP_IGNORE_DIRECTORIES).
      def build(load_path, extra_roots: [], ignored: nil)
        paths = absolute(load_path)
        Native::LoadPathCache.build((paths + absolute(extra_roots)), paths.size, ignored)
      end

      # Returns Explanation#to_h.
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
