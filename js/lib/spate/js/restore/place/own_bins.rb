# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Place
        # Executables of the project's own folders, as npm leaves them once it has linked them: with all x bits that the
        # umask allows, and without a carriage return in a first line "#!". They are the user's files: a file whose real
        # path is outside of the project is not touched.
        class OwnBins
          # Bytes in which npm looks for the end of a first line.
          FIRST = 2048
          CARRIAGE_RETURN = /\A(#![^\n]+)\r\n/n

          # bins: [BinFolder] of a plan.
          def initialize(context, bins)
            @context = context
            @bins = bins.select { |folder| folder.style.respond_to?(:own_files) }
          end

          # entries: { path => Symlink }, of which those count that are links to such files.
          def call(entries)
            @bins.each do |folder|
              folder.style.own_files(folder).each { |link, file| mend(@context.path(file)) if entries.key?(link) }
            end
          end

          private

          def mend(path)
            path = File.realpath(path)
            stat = File.stat(path)
            return unless stat.file? && path.start_with?("#{root}/")

            mode = 0o777 & ~umask
            change_mode(path, stat, mode) unless stat.mode & mode == mode
            rewrite(path) { |text| text.sub(CARRIAGE_RETURN, "\\1\n".b) } if CARRIAGE_RETURN.match?(head(path))
          rescue SystemCallError => e
            raise FolderError.for(e.errno, path, @context.root)
          end

          # The target of a link may be a package's file, which other projects share.
          def change_mode(path, stat, mode)
            rewrite(path, &:itself) if stat.nlink > 1 && path.include?(Trash::MODULES)
            File.chmod(mode, path)
          end

          # Another file in its place.
          def rewrite(path)
            mode = File.stat(path).mode & 0o7777
            Util::Files.write(path, yield(File.binread(path)), mode: mode)
          end

          def head(path) = File.binread(path, FIRST).to_s
          def root = @root ||= File.realpath(@context.root)
          def umask = @umask ||= File.umask
        end
      end
    end
  end
end
