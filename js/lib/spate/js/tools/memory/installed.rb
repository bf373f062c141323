# frozen_string_literal: true

module Spate
  module JS
    module Tools
      class Memory
        # A tool's results, as entries of Inputs: the names in each folder with packages, each package.json, and the
        # targets of the project's own links. As with packages that Spate restores, a file missing inside a package is
        # not detected.
        class Installed
          BIN = ".bin"
          MODULES = "node_modules"

          # folders: absolute, absent ones too.
          def self.entries(folders)
            new.tap { |found| folders.each { |folder| found.folder(folder) if File.directory?(folder) } }.entries
          end

          attr_reader :entries

          def initialize
            @entries = []
          end

          # With packages. links: whether to look where they lead.
          def folder(path, links: true)
            @entries << [:listed, path]
            Dir.children(path).each do |name|
              inside = File.join(path, name)
              case File.lstat(inside).ftype
              when "link" then @entries << [:link, inside] if links
              when "directory" then directory(inside, name, links)
              end
            end
          end

          private

          def directory(path, name, links)
            return folder(path, links: links) if name.start_with?("@") || name == BIN
            return store(path) if name.start_with?(".")

            package(path)
          end

          def package(path)
            file = File.join(path, Project::PACKAGE)
            @entries << (File.file?(file) ? [:file, file] : [:absent, file])
            inside = File.join(path, MODULES)
            folder(inside) if File.directory?(inside)
          end

          # Packages below names of their own, as pnpm and bun have them; other hidden folders are ignored.
          def store(path)
            found = Dir.children(path).map { |name| File.join(path, name, MODULES) }
                       .select { |inside| File.directory?(inside) }
            @entries << [:listed, path] if found.any?
            found.each { |inside| folder(inside, links: false) }
          end
        end
      end
    end
  end
end
