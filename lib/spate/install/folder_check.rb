# frozen_string_literal: true

module Spate
  module Install
    # Gems whose names differ in case alone have one folder on a file system that does not tell it apart: the second
    # would take the first's away. Bundler mixes them.
    module FolderCheck
      module_function

      # root: the bundle's. Raises IndistinctError.
      def call(root, full_names)
        alike = full_names.uniq.group_by(&:downcase).values.find { |names| names.size > 1 }
        raise IndistinctError.folder(alike, root) if alike && one_case?(root)
      end

      def one_case?(root)
        require "fileutils"
        FileUtils.mkdir_p(root)
        path = File.join(root, ".Spate-#{Process.pid}")
        File.write(path, "")
        File.exist?(File.join(root, File.basename(path).downcase))
      rescue SystemCallError => e
        raise Store::Error.for(e, root)
      ensure
        FileUtils.rm_f(path) if path
      end
    end
  end
end
