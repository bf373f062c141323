# frozen_string_literal: true

module Spate
  module Install
    module Fetch
      # An archive in the store is verified once a boot, and then marked with a fixed time, another one each boot.
      # Whoever writes to it later, perhaps through a link in some bundle's cache/, changes that time, so it is hashed
      # before it is used again; and so it is after a power loss, which may have kept the name and the time and lost the
      # bytes. The mark costs no more than the stat that sees whether the archive is there, and a store restored without
      # times marks itself anew.
      module ArchiveCheck
        EPOCH = 499_162_500 # 1985, as in npm's archives; zip cannot tell times before 1980
        # Steps of two seconds: some file systems count no finer.
        STEP = 2
        # A file that changed this short a time (seconds) before it was looked at may change again under the same time.
        RACY = 0.02
        FACTS = %i[dev ino size mtime ctime].freeze

        module_function

        # Whether the file at path is the archive with that SHA-256 (hex).
        def whole?(path, sha256)
          marked?(path) || right?(path, sha256)
        end

        # The same for many: {path => sha256}. Answers {path => true} for those that are. Hashing takes a thread for
        # each processor.
        def whole(archives)
          marked, open = archives.keys.partition { |path| marked?(path) }
          marked.to_h { |path| [path, true] }.merge(open.empty? ? {} : hashed(archives.slice(*open)))
        end

        def hashed(archives)
          queue = Thread::Queue.new(archives.to_a).close
          threads = Array.new([Native.processors, archives.size].min) { Thread.new { hash_all(queue) } }
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
          true # somebody else's store: hashed again next time
        end

        # What to compare a file with later (File::Stat), taken before it is verified; nil where its times could not
        # tell a change from none.
        def look(path)
          stat = File.stat(path)
          stat if Time.now - stat.ctime > RACY
        end

        # Copies the file at `source`, which was verified since it was looked at, to `target`; it is hashed again only
        # where it may have changed meanwhile. Answers false, and copies nothing, where it is no longer the right one.
        def copy(source, target, sha256, seen:, temporary:)
          IO.copy_stream(source, temporary)
          return false unless unchanged?(source, seen) || Native.sha256_file(temporary) == sha256

          mark(temporary)
          File.rename(temporary, target)
          true
        ensure
          File.unlink(temporary) if File.exist?(temporary)
        end

        # The mark of this boot; nil where the system does not tell boots apart: then every archive is hashed each time.
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
