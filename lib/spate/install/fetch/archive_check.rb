# frozen_string_literal: true

module Spate
  module Install
    module Fetch
      # Verifies each archive in the store once per boot of the machine, and then marks it with an mtime that is derived
      # from the boot id. A later write, perhaps through a link in a bundle's cache/, changes the mtime, so the file is
      # hashed before its next use. After a reboot all archives are hashed again, since a power loss may keep a file's
      # name and mtime but lose its data. Checking the mark costs no more than the stat that checks the file's
      # existence. A store restored without mtimes is hashed and marked again.
      module ArchiveCheck
        EPOCH = 499_162_500 # 1985, as in npm's archives; zip has no times before 1980
        # The step between two marks in seconds. Some file systems store times in units of two seconds.
        STEP = 2
        # A file that changed less than this time (in seconds) before a stat may change again without a new mtime.
        RACY = 0.02
        FACTS = %i[dev ino size mtime ctime].freeze

        module_function

        # Whether the file at path is the archive with that SHA-256 (hex).
        def intact?(path, sha256)
          marked?(path) || matches?(path, sha256)
        end

        # Like intact? for many archives, {path => sha256}. Returns {path => true} for the matching ones. Uses one
        # thread per processor.
        def intact(archives)
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
            found[path] = true if matches?(path, sha256)
          end
          found
        end

        def marked?(path)
          stat = File.lstat(path)
          stat.file? && stat.mtime == time
        rescue Errno::ENOENT, Errno::ENOTDIR, Errno::EACCES
          false
        end

        def matches?(path, sha256)
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

        # The File::Stat of a file, taken before it is verified, to detect changes later. nil if the file changed too
        # recently for its times to prove that it is unchanged.
        def stable_stat(path)
          stat = File.stat(path)
          stat if Time.now - stat.ctime > RACY
        end

        # Copies a verified file. seen: its File::Stat from before the verification. If the file may have changed since,
        # hashes it again, and if it does not match, copies nothing and returns false.
        def copy(source, target, sha256, seen:, temporary:)
          IO.copy_stream(source, temporary)
          return false unless unchanged?(source, seen) || Native.sha256_file(temporary) == sha256

          mark(temporary)
          File.rename(temporary, target)
          true
        ensure
          File.unlink(temporary) if File.exist?(temporary)
        end

        # The mark of this boot. Without a boot id, returns nil, and every archive is hashed each time.
        def time
          @time ||= Native.boot_id&.then { |id| Time.at(EPOCH + (STEP * id[0, 6].to_i(16))) }
        end

        def unchanged?(path, seen)
          now = File.stat(path)
          !seen.nil? && FACTS.all? { |fact| now.public_send(fact) == seen.public_send(fact) }
        end
        private_class_method :unchanged?, :hashed, :hash_all, :marked?, :matches?
      end
    end
  end
end
