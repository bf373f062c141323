# frozen_string_literal: true

module Spate
  module JS
    module Npm
      class Project
        # Where a folder that a pattern fits may come to be.
        module Listed
          MAGIC = /[*?\[]/

          module_function

          # Paths relative to the root: the folders that are listed for the pattern, there or not, and the package.json
          # where nothing has to be listed for it. pattern: without braces.
          def of(root, pattern)
            parts = pattern.split("/")
            return [File.join(pattern, PACKAGE)] if parts.grep(MAGIC).empty?

            parts.each_index.flat_map do |at|
              parts[at].match?(MAGIC) ? folders(root, parts[0...at], below: parts[at] == "**") : []
            end
          end

          # below: whether all folders in them are listed, too.
          def folders(root, parts, below:)
            found = parts.grep(MAGIC).empty? ? [parts.join("/")] : glob(root, "#{parts.join("/")}/")
            found += found.flat_map { |path| glob(root, path.empty? ? "**/" : "#{path}/**/") } if below
            found.reject { |path| path.start_with?("../") || path.split("/").include?("node_modules") }.uniq
          end

          def glob(root, pattern) = Dir.glob(pattern, base: root).map { |path| path.chomp("/") }
        end
      end
    end
  end
end
