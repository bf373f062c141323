# frozen_string_literal: true

module Spate
  module RemoteCache
    # A cache in a folder, usually on a network share. The files are FOLDER/ac/<hex> and FOLDER/cas/<hex>, so a web
    # server can serve them. New files get the permissions of the folder. Symbolic links are not followed. If the share
    # hangs, so do its readers, since system calls on it cannot be interrupted.
    class Folder
      include Transport

      HINT = "create the folder, or mount the share that contains it"
      # UNFINISHED: matches names of files that are being written (Util::Files.beside). ABANDONED: after this time
      # without a write (in seconds), such a file is removed.
      UNFINISHED = %r{/[0-9a-f]{64}\.\d+-[0-9a-f]{16}\z}
      ABANDONED = 24 * 60 * 60
      PERMISSION_HINT = "check the permissions of the folder"
      DESCRIPTORS = "/proc/self/fd"
      private_constant :DESCRIPTORS, :HINT, :PERMISSION_HINT, :UNFINISHED, :ABANDONED

      def initialize(address)
        @address = address
        @root = address.path
        @closed = false
      end

      def head(name) = accessing { opened(RemoteCache.name(name), &:size) }

      def time(name) = accessing { opened(RemoteCache.name(name), &:mtime) }

      # Replaces an existing file, which may be damaged.
      def put(name, source, fresh: false)
        RemoteCache.name(name)
        return false if fresh && head(name)

        accessing(denied: :read_only) do
          mode = File.stat(@root).mode & 0o7777
          ready(File.dirname(name), mode)
          within(name) { |path| Util::Files.replace(path) { |made| write(made, source, mode & 0o666) } }
          true
        end || raise(unavailable(:refused, "no longer has #{name}, which was being written"))
      end

      def delete(name)
        RemoteCache.name(name)
        accessing(denied: :read_only) { within(name) { |path| Util::Files.remove(path) } }
        true
      end

      def each(prefix)
        return enum_for(:each, prefix) unless block_given?

        files(prefix, NAME) { |name, stat| yield name, stat.size, stat.mtime }
      end

      # Removes old unfinished files. A writer that still runs fails and can repeat the write.
      def sweep(dry: false)
        count = bytes = 0
        %w[ac/ cas/].each do |prefix|
          files(prefix, UNFINISHED) do |name, stat|
            next if Time.now - stat.mtime < ABANDONED

            accessing(denied: :read_only) { Util::Files.remove(path(name)) } unless dry
            count += 1
            bytes += stat.size
          end
        end
        [count, bytes]
      end

      # Prevents further calls. Does not interrupt a call that waits for a network share.
      def close = @closed = true
      def ahead = 0
      def to_s = @address.to_s

      private

      def path(name) = "#{@root}/#{name}"

      def read(name, limit)
        accessing do
          opened(name) do |file|
            raise too_long(file.size, limit) if file.size > limit

            left = limit
            while (bytes = file.read(CHUNK))
              raise too_long("more", limit) if (left -= bytes.bytesize).negative?

              yield bytes
            end
            true
          end
        end
      end

      # Returns the block's result, or nil if the file does not exist. Raises Unavailable if the whole cache folder is
      # missing, for example because a share is not mounted.
      def accessing(denied: :credentials)
        raise Unavailable.new(:closed, @address, "is closed") if @closed

        yield
      rescue Errno::ENOENT
        raise unavailable(:refused, "does not exist", HINT) unless File.directory?(@root)
      rescue Errno::ENOTDIR
        raise unavailable(:refused, "is not a directory", HINT)
      rescue Errno::ENOSPC, Errno::EDQUOT, Errno::EFBIG => e
        raise unavailable(:full, "is full: #{e.class.new.message}")
      rescue Errno::EROFS, Errno::EACCES, Errno::EPERM => e
        raise unavailable(denied, "denies access: #{e.class.new.message}", PERMISSION_HINT)
      rescue Errno::ETIMEDOUT, Errno::EAGAIN => e
        raise unavailable(:slow, "did not respond in time: #{e.class.new.message}")
      rescue SystemCallError => e
        raise unavailable(:refused, "cannot be used: #{e.class.new.message}", HINT)
      end

      # NONBLOCK prevents waiting for the other end if the file is a pipe.
      def opened(name)
        return unless real_folder?(File.dirname(name))

        File.open(path(name), File::RDONLY | File::NOFOLLOW | File::NONBLOCK | File::BINARY) do |file|
          raise unavailable(:answer, "has an entry #{name} that is not a file") unless file.stat.file?

          yield file
        end
      rescue Errno::ELOOP
        raise unavailable(:answer, "has a symbolic link at #{name}",
                          "remove the link: a cache contains only regular files")
      end

      # Yields name and File::Stat of all files whose name matches `form`.
      def files(prefix, form)
        folder = prefix.delete_suffix("/")
        raise ArgumentError, "not a folder of a cache: #{prefix.inspect}" unless %w[ac cas].include?(folder)

        found = accessing { Dir.children(path(folder)) if real_folder?(folder) }
        found.to_a.map { |each| "#{folder}/#{each}" }.grep(form).sort.each do |name|
          stat = accessing { File.lstat(path(name)) }
          yield name, stat if stat&.file?
        end
      end

      # Yields a path to write to. It goes through the open folder in /proc, since another user could replace the folder
      # by a link in the meantime. On a system without /proc, other users must be trusted.
      def within(name)
        folder, file = name.split("/")
        real_folder?(folder)
        File.open(path(folder), File::RDONLY | File::NOFOLLOW | File::NONBLOCK) do |opened|
          through = "#{DESCRIPTORS}/#{opened.fileno}"
          yield File.directory?(through) ? "#{through}/#{file}" : path(name)
        end
      end

      # Whether the folder exists. Raises Unavailable if it is not a directory.
      def real_folder?(folder)
        stat = File.lstat(path(folder))
        stat.directory? || raise(unavailable(:answer, "has an entry #{folder} that is not a directory"))
      end

      def ready(folder, mode)
        Dir.mkdir(path(folder))
        File.open(path(folder), File::RDONLY | File::NOFOLLOW) { |made| permit(made, mode) }
      rescue Errno::EEXIST
        real_folder?(folder)
      end

      # Changes the mode of the open file, since its path may meanwhile be a link. Some network shares do not support
      # modes.
      def permit(file, mode)
        file.chmod(mode)
      rescue Errno::EPERM, Errno::ENOTSUP
        nil
      end

      def write(fresh, source, mode)
        File.open(fresh, File::WRONLY | File::CREAT | File::EXCL | File::NOFOLLOW | File::BINARY) do |file|
          permit(file, mode)
          next file.write(source) if source.is_a?(String)

          source.rewind
          IO.copy_stream(source, file)
        end
      end

      def too_long(size, limit) = TooLong.new(@address, "has a file of #{size} bytes, expected at most #{limit}")

      def unavailable(reason, fact, hint = Unavailable::HINTS.fetch(reason))
        Unavailable.new(reason, @address, fact, hint: hint)
      end
    end
  end
end
