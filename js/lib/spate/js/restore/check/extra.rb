# frozen_string_literal: true

module Spate
  module JS
    module Restore
      class Check
        # Unexpected files in a package's folder. Place::Strays handles its node_modules.
        class Extra
          def initialize(folder, paths)
            @folder = folder
            @files = paths.to_h { |path| [path, true] }
            @folders = {}
            paths.each { |path| note(File.dirname(path)) }
          end

          # Paths below the folder.
          def call(within = nil)
            Dir.children([@folder, *within].join("/")).sort.flat_map do |name|
              next [] if within.nil? && name == Place::Folders::MODULES

              path = [*within, name].join("/")
              next @files[path] ? [] : [path] unless @folders[path]

              folder?(path) ? call(path) : [] # told as another type
            end
          rescue SystemCallError
            []
          end

          private

          def note(folder)
            until folder == "." || @folders[folder]
              @folders[folder] = true
              folder = File.dirname(folder)
            end
          end

          def folder?(path) = !!Store::Object.lstat("#{@folder}/#{path}")&.directory?
        end
      end
    end
  end
end
