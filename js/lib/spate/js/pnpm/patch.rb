# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      # Applies a patch of `patchedDependencies` to a package's files: a unified diff as `git diff` writes it. As in
      # pnpm, a hunk may be up to 20 lines from its position, trailing space is ignored, and changes already present are
      # not an error. Never writes outside the folder or through a link. A loose patch, as up to pnpm 11, deletes a file
      # and writes a new one regardless of their content, and skips binary files.
      class Patch
        autoload :Reader, "spate/js/pnpm/patch/reader"

        # A patch cannot be read or does not apply.
        class FailedError < Error
          EXIT_CODE = 3

          def initialize(file, reason)
            super("#{file}: #{reason}", hint: "recreate the patch for the version in the lockfile: pnpm patch")
          end
        end

        # folder: the package's files, used by this project only. file: the patch's path; text: its content. Raises
        # FailedError.
        def self.apply(folder, file, text = File.binread(file), loose: false)
          new(folder, file, text, loose).apply
        end

        def initialize(folder, file, text, loose)
          @folder = folder
          @file = file
          @text = text
          @loose = loose
        end

        def apply
          reader = Reader.new(@text.dup.force_encoding(Encoding::UTF_8).scrub, loose: @loose)
          reader.changes.each { |change| change(change) }
        rescue Reader::Error, Hunk::Error, UnsafePathError => e
          raise FailedError.new(@file, e.message)
        end

        private

        def change(change)
          path = path(change.path)
          move(change, path) if change.from
          case change.kind
          when :create then create(path, change)
          when :delete then delete(path, change)
          else modify(path, change)
          end
          File.chmod(change.mode, path) if change.mode && change.kind != :delete
        rescue Errno::ENOENT
          raise Hunk::Error, "it changes #{change.from || change.path}, which the package does not contain"
        end

        # Raises UnsafePathError.
        def path(relative)
          Package::Name.check_path(relative, "a patch")
          parts = relative.split("/")
          parts.each_index do |at|
            path = File.join(@folder, *parts[0..at])
            raise UnsafePathError.new(relative, "a patch") if File.symlink?(path)
          end
          File.join(@folder, relative)
        end

        # Does nothing if the file has already been moved.
        def move(change, path)
          from = path(change.from)
          return if File.exist?(path) && !File.exist?(from)

          raise Hunk::Error, "#{change.path} already exists" if File.exist?(path)

          folders(File.dirname(path))
          File.rename(from, path)
        end

        def create(path, change)
          text = change.applied("")
          return if File.file?(path) && read(path) == text
          raise Hunk::Error, "#{change.path} already exists" if File.exist?(path) && !@loose

          folders(File.dirname(path))
          write(path, text)
        end

        def folders(path)
          return if File.directory?(path)

          folders(File.dirname(path))
          Dir.mkdir(path)
        end

        # Does not read the file if only its mode changes, because it may be binary.
        def modify(path, change)
          return if change.hunks.empty?

          text = read(path)
          write(path, change.applied(text))
        rescue Hunk::Error
          raise unless change.reversed.fits?(text)
        end

        # A patch may omit the content of a deleted file.
        def delete(path, change)
          return unless File.exist?(path)

          unless @loose || emptied?(path, change)
            raise Hunk::Error, "it deletes #{change.path}, which has more content than the patch removes"
          end

          File.unlink(path)
        end

        def emptied?(path, change) = change.hunks.empty? || change.applied(read(path)).empty?

        def read(path) = File.read(path, encoding: Encoding::UTF_8).scrub

        # Writes a new file, because the old one may be shared with other packages.
        def write(path, text)
          mode = File.exist?(path) ? File.stat(path).mode & 0o777 : nil
          File.write(partial = "#{path}.patched-#{Process.pid}", text)
          File.chmod(mode, partial) if mode
          File.rename(partial, path)
        end

        # A patch's change to one file.
        #
        # kind:: :modify, :create or :delete
        # path:: in the package
        # mode:: the new mode (Integer), or nil
        # hunks:: [Hunk]
        # from:: the path from which the file is moved first, or nil
        Change = Struct.new(:kind, :path, :mode, :hunks, :from) do
          # The text after the change. Raises Hunk::Error.
          def applied(text)
            lines = text.split("\n", -1)
            lines = [""] if lines.empty?
            edits = hunks.each_with_index.flat_map do |hunk, at|
              hunk.edits(lines) or raise Hunk::Error, "hunk #{at + 1} does not apply to #{path}"
            end
            Hunk.edit(lines, edits).join("\n")
          end

          def reversed = Change.new(kind, path, mode, hunks.map(&:reversed))

          def fits?(text)
            applied(text)
            true
          rescue Hunk::Error
            false
          end
        end

        # A range of lines of a file and its changes.
        #
        # start, old_size:: number of the first line, and number of lines, in the old file; new_start, new_size:: the
        #                   same for the new file
        # parts:: [[" ", "-" or "+", [line, ...], whether the file ends there without a newline], ...]
        Hunk = Struct.new(:start, :old_size, :new_start, :new_size, :parts) do
          # [[index of the line, removed lines, added lines], ...]; nil if the hunk does not apply.
          def edits(lines)
            Hunk::OFFSETS.each do |offset|
              found = edits_at(lines, start - 1 + offset) and return found
            end
            nil
          end

          def reversed
            swapped = parts.map { |sign, lines, ends| [sign.tr("+-", "-+"), lines, ends] }
            Hunk.new(new_start, new_size, start, old_size, swapped)
          end

          private

          def edits_at(lines, index)
            return if index.negative? || lines.size - index < old_size

            parts.flat_map do |sign, texts, ends|
              next addition(index, texts, ends) if sign == "+"
              return nil unless same?(lines, index, texts)

              index += texts.size
              sign == "-" ? removal(index - texts.size, texts, ends) : []
            end
          end

          def same?(lines, index, texts)
            texts.each_with_index.all? { |text, at| (line = lines[index + at]) && line.rstrip == text.rstrip }
          end

          # If the removed last line has no newline, the file gets a final newline; if the added last line has none, the
          # file loses it.
          def removal(index, texts, ends) = [[index, texts.size, []], *([:push] if ends)]
          def addition(index, texts, ends) = [[index, 0, texts], *([:pop] if ends)]
        end

        # Reopened as a class body, because Ruby looks up constants lexically.
        class Hunk
          class Error < StandardError; end

          OFFSETS = [0, *(1..20).flat_map { |offset| [-offset, offset] }].freeze

          # The lines after all edits. Indexes of edits refer to the original lines.
          def self.edit(lines, edits)
            lines = lines.dup
            moved = 0
            edits.each do |index, gone, texts|
              next lines.push("") if index == :push
              next lines.pop if index == :pop

              lines[[index + moved, lines.size].min, gone] = texts
              moved += texts.size - gone
            end
            lines
          end
        end
      end
    end
  end
end
