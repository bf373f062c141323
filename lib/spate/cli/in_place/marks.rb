# frozen_string_literal: true

module Spate
  module CLI
    class InPlace
      # The string table of a record: NUL-terminated texts without duplicates.
      class Texts
        attr_reader :size

        def initialize
          @places = {}
          @size = 0
        end

        # Returns the offset of the text.
        def add(text)
          @places.fetch(text) do
            place = @size
            @size += text.bytesize + 1
            @places[text] = place
          end
        end

        def to_s = @places.keys.map { |text| "#{text}\0".b }.join
      end

      # The paths that a command accessed, with their stat fields.
      class Marks
        ABSENT, FOLLOW, CONTENT, CTIME = [1, 2, 4, 8].freeze
        # Kernel files that do not affect the result. The boot id is stored in the header.
        HARMLESS = %r{\A(?:/dev/(?:null|u?random)|/proc/(?:self|thread-self|\d+)(?:/(?:exe|fd|maps|cmdline))?|
                        #{Regexp.escape(Record::BOOT_ID)})\z}nx
        KERNEL = %r{\A/(?:proc|sys|dev)/}n

        attr_reader :count

        # started: the value of Inputs.start before the trace. folders: below these, mtimes of folders are compared too.
        # harmless: paths to ignore. listed: folders whose own mtimes are compared as well.
        def initialize(started, folders, harmless: HARMLESS, listed: [])
          @harmless = harmless
          @started = started
          @deep = folders.map { |folder| "#{folder}/".b }
          @listed = listed.to_h { |folder| [folder.b, true] }
          @folders = Hash.new { |all, folder| all[folder] = [] }
          @devices = {}
          @count = 0
        end

        def folders = @folders.size
        # Whether a file has a ctime in whole seconds. Such a ctime is not reliable after the file system was remounted.
        def whole_seconds? = @devices.keys.any?(&:last)

        # kinds: see Tracer::Trace#paths.
        def add(path, kinds)
          return if @harmless.match?(path)

          refuse("it looked at #{path}") if KERNEL.match?(path)
          stat = state(path, :lstat)
          target = stat&.symlink? ? state(path, :stat) : stat
          changed(path) unless seen?(stat, target, kinds)
          mark(path, stat, kinds, 0)
          mark(path, target, kinds, FOLLOW) if stat&.symlink?
        end

        # Raises Refused for file systems whose ctime is not reliable, detected by a missing stamp (docs/inputs.md).
        def prove_times(beside)
          temporary = Util::Files.beside(beside)
          @devices.each_value do |kind, path|
            changed(path) if Inputs.record(temporary, [[kind, path]], {})
            Inputs.each(temporary) do |*, facts|
              refuse("the file system of #{path} has no reliable times") unless facts[:stamped]
            end
          end
        ensure
          Util::Files.remove(temporary)
        end

        # Returns the first path whose mark differs, or nil.
        def difference(other)
          mine, others = [self, other].map { |marks| marks.packed.to_h }
          (mine.keys | others.keys).find { |path| mine[path] != others[path] }
        end

        # [[path, bytes]]
        def packed
          @folders.flat_map do |folder, marks|
            marks.map { |name, stat, facts| [[folder, name, facts & FOLLOW], pack(0, stat, facts)] }
          end
        end

        def to_bytes(texts)
          heads = @folders.map { |folder, marks| [texts.add(folder), marks.size].pack("L2") }
          heads.join << @folders.values.flatten(1).map { |name, *numbers| pack(texts.add(name), *numbers) }.join
        end

        private

        def refuse(reason) = raise(Recorder::Refused, reason)
        def changed(path) = raise(Recorder::Passing, "#{path} changed")

        def state(path, way)
          File.public_send(way, path)
        rescue Errno::ENOENT, Errno::ENOTDIR
          nil
        end

        # Whether the command found the path as it is now: existing or missing. A dangling link is missing only for
        # calls that follow it.
        def seen?(stat, target, kinds)
          return kinds.first == :absent if stat.nil?
          return kinds.first != :absent if target

          !kinds.intersect?(%i[read run listed])
        end

        def mark(path, stat, kinds, facts)
          facts |= stat ? facts(path, stat, kinds) : ABSENT
          check_unchanged(path, stat, facts) if stat
          @folders[File.dirname(path)] << [File.basename(path), stat, facts]
          @count += 1
        end

        # The ctime of a file with several hard links changes when another project links it. If the command did not read
        # such a file, size, mtime and inode are enough to detect edits, as in Store::Edits.
        def facts(path, stat, kinds)
          ctime = stat.symlink? || (stat.file? && stat.nlink == 1) || kinds.intersect?(%i[read run listed])
          content = ctime || !stat.directory? || path.start_with?(*@deep) || @listed.key?(path)
          (content ? CONTENT : 0) | (ctime ? CTIME : 0)
        end

        # Raises Passing for a path that has changed since the start. Remembers the file system, to check its ctimes.
        def check_unchanged(path, stat, facts)
          changed(path) if facts.anybits?(CONTENT) && stat.mtime >= @started && stat.mtime <= Time.now
          return unless facts.anybits?(CTIME)

          changed(path) if stat.ctime >= @started
          return if stat.symlink?

          @devices[[stat.dev,
                    stat.ctime.nsec.zero?]] ||= [stat.directory? ? :listed : :file, path]
        end

        def pack(name, stat, facts)
          return [0, 0, 0, 0, 0, name, facts, 0, 0].pack("Q3q2L4") unless stat

          content = facts.anybits?(CONTENT) ? [stat.size, nanoseconds(stat.mtime)] : [0, 0]
          ctime = facts.anybits?(CTIME) ? nanoseconds(stat.ctime) : 0
          [stat.dev, stat.ino, *content, ctime, name, facts, stat.mode, stat.uid].pack("Q3q2L4")
        end

        def nanoseconds(time) = (time.to_i * 1_000_000_000) + time.nsec
      end
    end
  end
end
