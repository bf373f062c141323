# frozen_string_literal: true

module Spate
  module Resolve
    # Lets one process at a time change a Gemfile and its lockfile. The lock is the Gemfile's own (flock), so it
    # needs no other file and ends with the process.
    module Turn
      module_function

      # Yields when no other process has the lock. waiting: called once if there is one.
      def take(gemfile, waiting: -> {})
        loop do
          File.open(gemfile) do |file|
            file.flock(File::LOCK_EX | File::LOCK_NB) || wait(file, waiting)
            waiting = -> {}
            # A new Gemfile replaces the old one, whose lock then means nothing.
            return yield if file.stat.ino == File.stat(gemfile).ino
          end
        end
      end

      def wait(file, waiting)
        waiting.call
        file.flock(File::LOCK_EX)
      end
      private_class_method :wait
    end
  end
end
