# frozen_string_literal: true

require "spate/native/boot"

module Spate
  module Images
    # The feature index of a load path (docs/index-format.md): data "index" of an application's image, used by
    # Spate::Native::Requirer.
    module Index
      module_function

      # Bytes of an index. The load path's roots come first; `extra_roots` are folders that programs were observed to
      # add. Relative entries, and those that are not Strings, are resolved now; a missing folder is kept, as it
      # may be created later. The same trees give the same bytes. ignored: comma-separated names and absolute paths of
      # folders (bootsnap's BOOTSNAP_IGNORE_DIRECTORIES) that are scanned only on demand.
      def build(load_path, extra_roots: [], ignored: nil)
        paths = absolute(load_path)
        Native::Index.build((paths + absolute(extra_roots)), paths.size, ignored)
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

      autoload :Explanation, "#{__dir__}/index/explanation.rb"
    end
  end
end
