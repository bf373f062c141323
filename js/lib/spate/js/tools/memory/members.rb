# frozen_string_literal: true

module Spate
  module JS
    module Tools
      class Memory
        # Where packages of a workspace are and could be added, by patterns. Excluded folders count, too.
        class Members
          PATTERN = /[*?{]/
          LEFT_OUT = %w[node_modules .git].freeze

          # sources: takes folders with #list and #package. folder: that the patterns are relative to.
          def initialize(sources, folder)
            @sources = sources
            @folder = folder
          end

          # Those of the folder's own files. Raises LockfileError.
          def of_folder = Project::Workspace.named(@folder).each { |pattern| call(pattern) }

          # Those among words that are patterns at all.
          def of_words(words) = words.grep(PATTERN).each { |word| call(word) }

          def call(pattern)
            return if pattern.start_with?("!")

            folders = [@folder]
            parts(pattern).each do |part|
              break folders = folders.flat_map { |folder| below(folder) } if part.match?(/\*\*|\{/)

              folders = folders.flat_map { |folder| step(folder, part) }
            end
            folders.each { |folder| @sources.package(folder) }
          end

          private

          # As yarn and bun take them: below the folder, also with a "/" at the beginning.
          def parts(pattern) = pattern.split("/") - ["", "."]

          def step(folder, part)
            part.match?(PATTERN) ? inside(folder) : [File.expand_path(part, folder)]
          end

          def inside(folder)
            @sources.list(folder)
            return [] unless File.directory?(folder) && !@sources.full?

            (Dir.children(folder) - LEFT_OUT).map { |name| File.join(folder, name) }
                                             .select { |path| File.directory?(path) }
          end

          # A folder and all below it, through no link.
          def below(folder)
            [folder] + inside(folder).reject { |path| File.symlink?(path) }.flat_map { |path| below(path) }
          end
        end
      end
    end
  end
end
