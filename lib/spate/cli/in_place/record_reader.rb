# frozen_string_literal: true

module Spate
  module CLI
    class InPlace
      # Reads a record (core/front/in_place_record.h) to find what differs from it. The front end decides by itself
      # whether a record matches; this class finds the reason.
      class RecordReader
        MARK_BYTES = 56
        MARK = "Q3q2L4"
        # The recorded facts of one path. times: mtime and ctime in nanoseconds.
        Mark = Struct.new(:folder, :device, :inode, :bytes, :mtime, :ctime, :name, :facts, :mode, :owner) do
          def path = File.join(folder, name)
          def absent? = facts.anybits?(Marks::ABSENT)

          def state
            facts.anybits?(Marks::FOLLOW) ? File.stat(path) : File.lstat(path)
          rescue Errno::ENOENT, Errno::ENOTDIR
            nil
          end

          def same?
            stat = state or return absent?
            !absent? && [device, inode, mode, owner] == [stat.dev, stat.ino, stat.mode, stat.uid] && same_times?(stat)
          end

          private

          def same_times?(stat)
            (facts.nobits?(Marks::CONTENT) || [bytes, mtime] == [stat.size, nanoseconds(stat.mtime)]) &&
              (facts.nobits?(Marks::CTIME) || ctime == nanoseconds(stat.ctime))
          end

          def nanoseconds(time) = (time.to_i * 1_000_000_000) + time.nsec
        end

        # Raises SystemCallError. bytes: of a record.
        def initialize(bytes)
          folders, marks, = bytes.unpack("x12L2")
          @texts = bytes.byteslice(Record::HEADER + (8 * folders) + (MARK_BYTES * marks)..)
          @folders = bytes.byteslice(Record::HEADER, 8 * folders).unpack("L*").each_slice(2)
          @marks = bytes.byteslice(Record::HEADER + (8 * folders), MARK_BYTES * marks)
        end

        # [Mark], in the order of the record.
        def marks
          number = -1
          @folders.flat_map do |folder, count|
            Array.new(count) { mark(text(folder), @marks.unpack(MARK, offset: MARK_BYTES * (number += 1))) }
          end
        end

        # The first path whose state has changed, or nil.
        def changed_path = marks.find { |mark| !mark.same? }&.path

        private

        def mark(folder, numbers) = Mark.new(folder, *numbers.first(5), text(numbers[5]), *numbers.drop(6))
        def text(place) = @texts.byteslice(place, @texts.index("\0", place) - place)
      end
    end
  end
end
