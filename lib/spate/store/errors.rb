# frozen_string_literal: true

module Spate
  class Store
    # A failure of the store, or of its file system. Exit code 9.
    class Error < Spate::Error
      EXIT_CODE = 9

      # Returns (not raises) the error for a failed system call on `path`: Full, ReadOnly, or Error. failure:
      # SystemCallError or errno.
      def self.for(failure, path)
        number = failure.is_a?(Integer) ? failure : failure.errno
        case number
        when Errno::ENOSPC::Errno, Errno::EDQUOT::Errno then Full.at(path, number)
        when Errno::EROFS::Errno, Errno::EACCES::Errno, Errno::EPERM::Errno then ReadOnly.at(path, number)
        else new("#{path}: #{SystemCallError.new(number).message}",
                 hint: "check the disk and that folder, or set SPATE_HOME to another folder")
        end
      end

      # Converts a result of Util::StorePlace.distrust to an error. A parent that is not a folder is reported later.
      def self.refusal(reason, culprit, owner, mode)
        case reason
        when :owner then Untrusted.owner(culprit, owner)
        when :others
          Untrusted.new(format("%s is writable for every user (mode %04o)", culprit, mode),
                        "run `chmod o-w #{culprit}`")
        when :search then ReadOnly.at(culprit, Errno::EACCES::Errno)
        end
      end
    end

    # No space left (ENOSPC), or the quota is exceeded (EDQUOT).
    class Full < Error
      HINT = "free some space, run `spate store prune`, or set SPATE_HOME to a folder on another disk"

      def self.at(path, errno = Errno::ENOSPC::Errno)
        free = free(path)
        new("no space left for #{path} (#{SystemCallError.new(errno).message}#{", #{free} bytes free" if free})",
            hint: HINT)
      end

      # Free bytes for an unprivileged user on the file system of `path` or its nearest existing parent, from df(1). nil
      # if unknown.
      def self.free(path) = sizes(path)&.last

      # [total bytes, free bytes]. Both are zero for virtual file systems such as /proc.
      def self.sizes(path)
        return unless path.start_with?("/")

        line = IO.popen(["df", "-Pk", Util::Files.nearest(path)], err: File::NULL, &:readlines).last
        line&.split&.values_at(-5, -3)&.map { |blocks| Integer(blocks, 10) * 1024 }
      rescue SystemCallError, ArgumentError, TypeError
        nil
      end
    end

    # A write failed because of a read-only file system or missing permission.
    class ReadOnly < Error
      def self.at(path, errno = Errno::EROFS::Errno)
        denied = PermissionError.new(path) unless errno == Errno::EROFS::Errno
        return new(denied.message, hint: denied.hint) if denied&.foreign?

        new("cannot write #{path}: #{SystemCallError.new(errno).message}",
            hint: "make it writable for user #{Process.euid}, or set SPATE_HOME to a folder that is")
      end
    end

    # Another user could place files in the store that this user would run.
    class Untrusted < Error
      def self.owner(path, owner)
        fix = "run without sudo, or with `sudo -H`"
        fix = "run `chown -R #{Process.euid} #{path}` as root" unless Process.euid.zero?
        new("#{path} belongs to user #{owner}, this is user #{Process.euid}", fix)
      end

      def initialize(message, fix)
        super(message, hint: "#{fix}, or set SPATE_HOME to a folder of this user, " \
                             "or SPATE_TRUST_STORE=1 if no other user can write there")
      end
    end

    # Objects of a package are damaged or missing, and so is the archive from which they could be restored.
    class Missing < Error
      # SHA-256 (hex) of the package's archive.
      attr_reader :sha256

      def initialize(message, sha256: nil, hint: "fetch it again: spate install")
        super(message, hint: hint)
        @sha256 = sha256
      end
    end

    # Another process holds the lock, and the caller does not wait.
    class Locked < Error
      def initialize(path)
        super("#{path} is locked by another process", hint: "try again when the other process has finished")
      end
    end
  end
end
