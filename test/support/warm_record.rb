# frozen_string_literal: true

require "spate"

module Spate
  # Adapts a record to files that a test has restored, which is cheaper than another parent.
  class WarmRecord
    READER = CLI::InPlace::RecordReader

    # root: the folder of the files that change.
    def initialize(path, root)
      @path = path
      @bytes = File.binread(path)
      start = CLI::InPlace::Record::HEADER + (8 * @bytes.unpack1("x12L"))
      marks = READER.new(@bytes).marks.each_with_index
      @marks = marks.filter_map do |mark, at|
        [start + (READER::MARK_BYTES * at), mark] unless mark.absent? || !mark.path.start_with?(root)
      end
    end

    # Takes the present state of these files.
    def refresh
      @marks.each do |place, mark|
        stat = mark.state
        times = [stat.mtime, stat.ctime].map { |time| (time.to_i * 1_000_000_000) + time.nsec }
        @bytes[place, 40] = [stat.dev, stat.ino, stat.size, *times].pack("Q3q2")
        @bytes[place + 48, 8] = [stat.mode, stat.uid].pack("L2")
      end
      @bytes[8, 4] = [Native.crc32c(@bytes.byteslice(12..))].pack("L")
      Util::Files.write(@path, @bytes, permissions: 0o600)
    end
  end
end
