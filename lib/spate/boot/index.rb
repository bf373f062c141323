# frozen_string_literal: true

require "spate/native/boot"

module Spate
  module Boot
    # The feature index of a load path: docs/index-format.md. Made at install or after a boot, kept in a boot image as
    # data "index", used by Spate::Native::Requirer.
    module Index
      module_function

      # Bytes of an index. The load path's roots come first; `extra_roots` are folders that the program has been seen to
      # add. Entries that are relative or no Strings are taken as they are now; what does not exist is kept, as it may
      # be made later. The same trees give the same bytes. ignored: names and absolute paths of folders, with commas
      # between them (bootsnap's BOOTSNAP_IGNORE_DIRECTORIES), that are scanned only when something asks for what is in
      # them.
      def build(load_path, extra_roots: [], ignored: nil)
        paths = absolute(load_path)
        Native::Index.build((paths + absolute(extra_roots)), paths.size, ignored)
      end

      # 32 hex digits: the same for the same entries in the same order, and for nothing else.
      def fingerprint(load_path) = Native::Index.fingerprint(absolute(load_path))

      # Whether `bytes` were made for this load path: what else is in it would be listed at each boot.
      def for?(bytes, load_path)
        facts = Native::Index.facts(bytes)
        !facts.nil? && facts[:fingerprint] == fingerprint(load_path)
      end

      # Where `require feature` would find its file now, and why: see Spate::Boot::Index::Explanation.
      def explain(feature) = Explanation.new(feature).to_h

      def absolute(entries)
        entries.filter_map do |entry|
          path = entry.respond_to?(:to_path) ? entry.to_path : entry
          next unless path.is_a?(String) && !path.empty? && !path.include?("\0")

          path.start_with?("/") ? path : File.expand_path(path)
        end
      end
      private_class_method :absolute

      autoload :Explanation, "spate/boot/index/explanation"
    end
  end
end
