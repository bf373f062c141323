# frozen_string_literal: true

module Spate
  module Install
    # Archives in the store are verified once and then get a fixed time. Whoever writes to one later, through a link in
    # some bundle's cache/ perhaps, gives it another: then it is hashed before it is used again. No stat more than to
    # see that it is there, and a store restored without times seals itself anew.
    module Seal
      TIME = Time.at(499_162_500).freeze # 1985, as in npm's archives; zip cannot tell times before 1980

      module_function

      # Whether the file at path is the archive with that SHA-256 (hex).
      def whole?(path, sha256)
        stat = File.lstat(path)
        return false unless stat.file?
        return true if stat.mtime == TIME

        Native.sha256_file(path) == sha256 && set(path)
      rescue Errno::ENOENT, Errno::ENOTDIR, Errno::EACCES
        false
      end

      # Of a file whose hash was just verified.
      def set(path)
        File.utime(TIME, TIME, path)
        true
      rescue SystemCallError
        true # somebody else's store: hashed again next time
      end
    end
  end
end
