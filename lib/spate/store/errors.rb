# frozen_string_literal: true

module Spate
  class Store
    # The store, or the file system under it, said no. Exit code 9.
    class Error < Spate::Error
      EXIT_CODE = 9

      # The error that tells what a failed system call on `path` means: Full, ReadOnly, or plain Error.
      # `failure` is a SystemCallError or an errno; answers an exception, raises nothing.
      def self.for(failure, path)
        number = failure.is_a?(Integer) ? failure : failure.errno
        case number
        when Errno::ENOSPC::Errno, Errno::EDQUOT::Errno then Full.at(path, number)
        when Errno::EROFS::Errno, Errno::EACCES::Errno, Errno::EPERM::Errno then ReadOnly.at(path, number)
        else new("#{path}: #{SystemCallError.new(number).message}",
                 hint: "look at the disk and at that folder, or set SPATE_HOME to another")
        end
      end

      # What Ground::StorePlace.distrust answers, as an error. A folder on the way that is none shows later.
      def self.refusal(reason, culprit, owner, mode)
        case reason
        when :owner then Untrusted.owner(culprit, owner)
        when :others
          Untrusted.new(format("%s can be written by every user (mode %04o)", culprit, mode),
                        "run `chmod o-w #{culprit}`")
        when :search then ReadOnly.at(culprit, Errno::EACCES::Errno)
        end
      end
    end

    # No space (ENOSPC) or no quota (EDQUOT) left.
    class Full < Error
      HINT = "free some space, run `spate store prune`, or set SPATE_HOME to a folder on another disk"

      def self.at(path, errno = Errno::ENOSPC::Errno)
        free = free(path)
        new("no space left for #{path} (#{SystemCallError.new(errno).message}#{", #{free} bytes free" if free})",
            hint: HINT)
      end

      # Bytes that an unprivileged user may still write in the file system of `path` (or of its nearest existing
      # parent), by df(1); nil where that cannot be told.
      def self.free(path) = sizes(path)&.last

      # [bytes in all, bytes free]; the file systems of the kernel (/proc) have neither.
      def self.sizes(path)
        return unless path.start_with?("/")

        line = IO.popen(["df", "-Pk", Ground::Files.nearest(path)], err: File::NULL, &:readlines).last
        line&.split&.values_at(-5, -3)&.map { |blocks| Integer(blocks, 10) * 1024 }
      rescue SystemCallError, ArgumentError, TypeError
        nil
      end
    end

    # A write was refused: read-only file system, or not ours to write.
    class ReadOnly < Error
      def self.at(path, errno = Errno::EROFS::Errno)
        denied = Denied.new(path) unless errno == Errno::EROFS::Errno
        return new(denied.message, hint: denied.hint) if denied&.foreign?

        new("cannot write #{path}: #{SystemCallError.new(errno).message}",
            hint: "make it writable for user #{Process.euid}, or set SPATE_HOME to a folder that is")
      end
    end

    # Somebody else could put files into the store that this user would then run.
    class Untrusted < Error
      def self.owner(path, owner)
        fix = "run without sudo, or with `sudo -H`"
        fix = "run `chown -R #{Process.euid} #{path}` as root" unless Process.euid.zero?
        new("#{path} belongs to user #{owner}, this is user #{Process.euid}", fix)
      end

      def initialize(message, fix)
        super(message, hint: "#{fix}, or set SPATE_HOME to a folder of this user, " \
                             "or SPATE_TRUST_STORE=1 if nobody else can write there")
      end
    end

    # Objects of a package are damaged or gone, and the archive that could replace them is, too.
    class Missing < Error
      # SHA-256 (hex) of the package's archive.
      attr_reader :sha256

      def initialize(message, sha256: nil, hint: "`spate install` fetches it again")
        super(message, hint: hint)
        @sha256 = sha256
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
