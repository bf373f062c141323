# frozen_string_literal: true

module Spate
  module Resolve
    # Lets one process at a time change a Gemfile and its lockfile. It locks the Gemfile's folder with flock, which
    # needs no lock file and is released when the process ends. A lock on the Gemfile itself would be lost when a
    # command replaces that file, before it has written the lockfile.
    module Turn
      # Names that Util::Files.beside adds; a merge adds a lockfile to its Gemfile.
      TEMPORARY = /\.(\d+)-\h{16}(?:\.lock)?\z/
      MINUTE = 60

      module_function

      # Removes temporary files beside these files that a killed process has left. A process in another container may
      # have the same id, or be unknown here, so its files must also be older than a minute.
      def sweep(paths)
        paths.group_by { |path| File.dirname(path) }.each do |folder, files|
          names = Dir.children(folder).select { |name| left?(name, files.map { |file| File.basename(file) }) }
          names.map { |name| File.join(folder, name) }.each do |path|
            File.unlink(path) if File.lstat(path).mtime < Time.now - MINUTE
          end
        end
      rescue SystemCallError
        nil # the next command tries again
      end

      # Yields with the lock. waiting: called once if another process has the lock. held: whether the process that has
      # the lock on the folder waits for this one, so that this one must not wait for the lock.
      def take(gemfile, waiting: -> {}, held: ->(_folder) { false })
        path = File.dirname(File.realpath(gemfile))
        File.open(path) do |folder|
          unless folder.flock(File::LOCK_EX | File::LOCK_NB) || held.call(path)
            waiting.call
            folder.flock(File::LOCK_EX)
          end
          yield
        end
      end

      def left?(name, originals)
        return false unless (match = TEMPORARY.match(name)) && originals.include?(match.pre_match)

        Process.kill(0, match[1].to_i)
        false
      rescue Errno::ESRCH, RangeError
        true
      rescue Errno::EPERM
        false # another user's process
      end
      private_class_method :left?
    end
  end
end
