# frozen_string_literal: true

module Spate
  module Install
    module Fetch
      # An archive in the store is verified once per boot, and then marked with a fixed mtime, which differs for each
      # boot. A later write, perhaps through a link in a bundle's cache/, changes the mtime, so the file is hashed
      # before its next use. The same happens after a power loss, which may keep the name and mtime but lose the data.
      # Checking the mark costs no more than the stat that checks the file's existence. A store restored without mtimes
      # is hashed and marked again.
      module ArchiveCheck
        EPOCH = 499_162_500 # 1985, as in npm's archives; zip has no times before 1980
        # Steps of two seconds, the resolution of some file systems.
        STEP = 2
        # A file changed within this time (seconds) before it was examined may change again without getting a new mtime.
        RACY = 0.02
        FACTS = %i[dev ino size mtime ctime].freeze

        module_function

        # Whether the file at path is the archive with that SHA-256 (hex).
        def whole?(path, sha256)
          marked?(path) || right?(path, sha256)
        end

        # Like whole? for many archives: {path => sha256}. Returns {path => true} for the matching ones. Hashes with one
        # thread per processor.
        def whole(archives)
          marked, open = archives.keys.partition { |path| marked?(path) }
          marked.to_h { |path| [path, true] }.merge(open.empty? ? {} : hashed(archives.slice(*open)))
        end

        def hashed(archives)
          queue = Thread::Queue.new(archives.to_a).close
          threads = Array.new([Util::Processors.count, archives.size].min) { Thread.new { hash_all(queue) } }
          threads.map(&:value).reduce(:merge)
        end

        def hash_all(queue)
          found = {}
          while (path, sha256 = queue.pop)
            found[path] = true if right?(path, sha256)
          end
          found
        end

        def marked?(path)
          stat = File.lstat(path)
          stat.file? && stat.mtime == time
        rescue Errno::ENOENT, Errno::ENOTDIR, Errno::EACCES
          false
        end

        def right?(path, sha256)
          File.lstat(path).file? && Native.sha256_file(path) == sha256 && mark(path)
        rescue Errno::ENOENT, Errno::ENOTDIR, Errno::EACCES
          false
        end

        # Marks a file whose hash was just verified.
        def mark(path)
          File.utime(time, time, path) if time
          true
        rescue SystemCallError
          true # in another user's store: the file will be hashed again next time
        end

        # The File::Stat, taken before the file is verified, with which to compare the file later; nil if its times
        # could not prove that it is unchanged.
        def look(path)
          stat = File.stat(path)
          stat if Time.now - stat.ctime > RACY
        end

        # Copies the file at `source`, which was verified after it was examined, to `target`, and hashes it again if it
        # may have changed. If it does not match, copies nothing and returns false.
        def copy(source, target, sha256, seen:, temporary:)
          IO.copy_stream(source, temporary)
          return false unless unchanged?(source, seen) || Native.sha256_file(temporary) == sha256

          mark(temporary)
          File.rename(temporary, target)
          true
        ensure
          File.unlink(temporary) if File.exist?(temporary)
        end

        # The mark of this boot; nil without a boot id, in which case every archive is hashed each time.
        def time
          @time ||= Native.boot_id&.then { |id| Time.at(EPOCH + (STEP * id[0, 6].to_i(16))) }
        end

        def unchanged?(path, seen)
          now = File.stat(path)
          !seen.nil? && FACTS.all? { |fact| now.public_send(fact) == seen.public_send(fact) }
        end
        private_class_method :unchanged?, :hashed, :hash_all, :marked?, :right?
      end
    end
  end
end
