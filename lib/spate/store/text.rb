# frozen_string_literal: true

module Spate
  class Store
    # Small text files that are written atomically. They are not synced to disk, so each contains its length and a
    # checksum. A file that is truncated or full of zeros after a power loss is treated as missing. Core Ruby only.
    #
    #   spate 1 <bytes> <sum>\n
    #   <text>
    module Text
      MAGIC = "spate 1"

      module_function

      # Converts a path to UTF-8, the encoding of the texts. In the C locale, paths from the system have a different
      # encoding.
      def path(name) = name.encoding == Encoding::UTF_8 ? name : name.dup.force_encoding(Encoding::UTF_8)

      # The text (UTF-8), or nil if the file is missing or damaged.
      def read(path)
        head, text = File.binread(path).split("\n", 2)
        return unless text && head == header(text)

        text.force_encoding(Encoding::UTF_8)
      rescue Errno::ENOENT, Errno::ENOTDIR, Errno::EACCES, Errno::EISDIR
        nil
      end

      # Writes atomically. temporary: a nonexistent path on the same file system. If it raises SystemCallError, no file
      # is left.
      def write(path, text, temporary)
        Util::Files.write(path, "#{header(text)}\n".b << text.b, permissions: 0o644, temporary: temporary)
      end

      def header(text) = "#{MAGIC} #{text.bytesize} #{text.sum(32)}"
      private_class_method :header
    end
  end
end
