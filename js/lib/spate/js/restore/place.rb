# frozen_string_literal: true

module Spate
  module JS
    module Restore
      # Places files, links and folders in a project, and removes strays.
      module Place
        %i[Anew InPlace].each { |name| autoload name, "spate/js/restore/place/in_place" }
        autoload :Folders, "spate/js/restore/place/folders"
        autoload :Slots, "spate/js/restore/place/slots"
        %i[Strays Trash].each { |name| autoload name, "spate/js/restore/place/strays" }
        autoload :Trees, "spate/js/restore/place/trees"

        # Finds the trees that contain a path.
        class Paths
          NESTED = "/node_modules/"

          def initialize(trees)
            @paths = trees.to_h { |tree| [tree.path, true] }
          end

          # Paths of all trees whose folders contain a path.
          def above(path)
            found = []
            while (cut = path.rindex(NESTED))
              found << path if @paths[path = path[0, cut]]
            end
            found
          end
        end

        # Runs two blocks at the same time. One of them must not need Ruby's lock for most of its time.
        module Meanwhile
          module_function

          # Calls the block, which soon releases Ruby's lock, and at the same time `other` in another thread. Returns
          # the block's result. After both have ended, raises the error of either.
          def call(other)
            thread = Thread.new(&other)
            thread.report_on_exception = false
            yield.tap { thread.value }
          ensure
            wait(thread) if thread
          end

          # Waits for the thread instead of killing it: it may be loading a file, and RubyGems would report that as a
          # separate error. Ignores the thread's exception: #call has raised it, or raises the block's exception
          # instead.
          def wait(thread)
            Thread.handle_interrupt(::Interrupt => :never) { thread.join }
          rescue StandardError
            nil
          end
          private_class_method :wait
        end

        # Creates symbolic links and small files. Leaves correct ones unchanged.
        class Entries
          # The entry in the core's format.
          def self.plain(entry) = entry.is_a?(Symlink) ? entry.target : [entry.text, entry.mode]

          def initialize(context, folders, trash)
            @context = context
            @folders = folders
            @trash = trash
          end

          # entries: { path => Symlink or TextFile }. Files without a mode, such as completion markers, are written last
          # and atomically.
          def call(entries)
            later, now = entries.partition { |_, entry| entry.is_a?(TextFile) && entry.mode.nil? }
            make(now)
            later.each do |path, entry|
              @folders.make(path)
              file(@context.path(path), entry)
            end
          end

          private

          # Creates all entries in a single call of the core, which does not follow links in the paths.
          def make(entries)
            lacking = entries.select { |path, entry| lacking?(path, entry) }
            return if lacking.empty?

            links = lacking.to_h.transform_values { |entry| Entries.plain(entry) }
            result = @context.native.link([], root: @context.root, links: links).last
            raise Interrupted, "interrupted" if result.status == :cancelled
            raise FolderError.for(result.errno, result.member, @context.root) unless result.ok?
          end

          # Whether an entry is missing or wrong. Moves a wrong one to the trash.
          def lacking?(path, entry)
            full = @context.path(path)
            there = Store::Object.lstat(full) if @folders.clear(path) == :folder
            return false if there && same?(full, entry, there)

            make_room(full, there)
            true
          end

          def make_room(path, there)
            @trash.take(path) if there
            @trash.made(path)
          end

          def file(path, entry)
            stat = Store::Object.lstat(path)
            return if stat && same?(path, entry, stat)

            make_room(path, stat)
            Util::Files.write(path, entry.text, mode: 0o666 & ~umask)
          end

          def same?(path, entry, stat)
            return stat.symlink? && File.readlink(path) == entry.target if entry.is_a?(Symlink)

            stat.file? && stat.size == entry.text.bytesize && (entry.mode.nil? || stat.mode & 0o777 == entry.mode) &&
              File.binread(path) == entry.text.b
          end

          def umask = @umask ||= File.umask
        end

        # Changes executables in the project's own folders as npm does after linking them: sets all x bits that the
        # umask allows, and removes the carriage return from a first line "#!". These are the user's files. A file whose
        # real path is outside of the project is not changed.
        class OwnBins
          # Number of bytes in which npm looks for the end of the first line.
          FIRST = 2048
          CARRIAGE_RETURN = /\A(#![^\n]+)\r\n/n

          # bins: [BinFolder] of a plan.
          def initialize(context, bins)
            @context = context
            @bins = bins.select { |folder| folder.style.respond_to?(:own_files) }
          end

          # entries: { path => Symlink }. Changes only executables to which one of these links leads.
          def call(entries)
            @bins.each do |folder|
              folder.style.own_files(folder).each { |link, file| repair(@context.path(file)) if entries.key?(link) }
            end
          end

          private

          def repair(path)
            path = File.realpath(path)
            stat = File.stat(path)
            return unless stat.file? && path.start_with?("#{root}/")

            mode = 0o777 & ~umask
            change_mode(path, stat, mode) unless stat.mode & mode == mode
            rewrite(path) { |text| text.sub(CARRIAGE_RETURN, "\\1\n".b) } if CARRIAGE_RETURN.match?(head(path))
          rescue SystemCallError => e
            raise FolderError.for(e.errno, path, @context.root)
          end

          # If the file may be a package's file that other projects share, replaces it with a copy first.
          def change_mode(path, stat, mode)
            rewrite(path, &:itself) if stat.nlink > 1 && path.include?(Trash::MODULES)
            File.chmod(mode, path)
          end

          # Replaces the file with a new one that contains the block's result.
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
