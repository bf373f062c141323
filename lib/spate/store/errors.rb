# frozen_string_literal: true

module Spate
  class Store
    # The store, or the file system under it, said no. Exit code 9.
    class Error < Spate::Error
      EXIT_CODE = 9

      # The error that tells what a failed system call on `path` means: Full, ReadOnly, or plain Error.
      # `errno` is an Integer or an Errno class's instance; answers an exception, raises nothing.
      def self.for(failure, path)
        number = failure.is_a?(Integer) ? failure : failure.errno
        case number
        when Errno::ENOSPC::Errno, Errno::EDQUOT::Errno then Full.new(path, number)
        when Errno::EROFS::Errno, Errno::EACCES::Errno, Errno::EPERM::Errno then ReadOnly.new(path, number)
        else new("#{path}: #{SystemCallError.new(number).message}")
        end
      end
    end

    # No space (ENOSPC) or no quota (EDQUOT) left.
    class Full < Error
      def initialize(path, errno = Errno::ENOSPC::Errno)
        free = Full.free(path)
        super("no space left for #{path} (#{free ? "#{free} bytes free" : SystemCallError.new(errno).message})",
              hint: "free some space, run `spate store prune`, or set SPATE_HOME to a folder on another disk")
      end

      # Bytes that an unprivileged user may still write in the file system of `path` (or of its nearest existing
      # parent), by df(1); nil where that cannot be told.
      def self.free(path)
        path = File.dirname(path) until File.exist?(path)
        line = IO.popen(["df", "-Pk", path], err: File::NULL, &:readlines).last
        line && Integer(line.split[-3], 10) * 1024
      rescue SystemCallError, ArgumentError, TypeError
        nil
      end
    end

    # A write was refused: read-only file system, or not ours to write.
    class ReadOnly < Error
      def initialize(path, errno = Errno::EROFS::Errno)
        super("cannot write #{path}: #{SystemCallError.new(errno).message}",
              hint: "make it writable for this user, or set SPATE_HOME to a folder that is")
      end
    end

    # There is no folder to keep the store in.
    class NoHome < Error
      def initialize(found)
        super("no place for the store: #{found}", hint: "set SPATE_HOME to an absolute path of a folder")
      end
    end

    # Somebody else could put files into the store that this user would then run.
    class Untrusted < Error
      def initialize(message, hint)
        super(message, hint: "#{hint}, or set SPATE_HOME to a folder of this user, " \
                             "or SPATE_TRUST_STORE=1 if nobody else can write there")
      end
    end

    # Objects of a package are damaged, and the archive that could replace them is not there or is damaged too.
    class Missing < Error
      # SHA-256 (hex) of the package's archive.
      attr_reader :sha256

      def initialize(sha256, found = "its archive is not in the store")
        @sha256 = sha256
        super("package #{sha256} cannot be healed: #{found}", hint: "`spate install` fetches it again")
      end
    end

    # A lock that was asked for without waiting is held by another process.
    class Locked < Error
      def initialize(path)
        super("#{path} is locked by another process", hint: "wait until the other spate is done, then try again")
      end
    end
  end
end
