# frozen_string_literal: true

module Spate
  module Server
    module Profile
      # Where profiles of a process go: the file as named, or one beside it with the process's number, or with a number
      # that nobody took yet.
      class OutputFile
        attr_reader :ending

        # pid: name the process, as one of several. number: one for each profile.
        def initialize(path, pid: false, number: false)
          @path = File.expand_path(path)
          @ending = Format.check(path)
          @pid = pid
          @number = number
        end

        # Yields a file that is open for writing; nobody else may read what a program's stacks tell. A file that was
        # there is replaced only under its very name. Answers the path.
        def write(&block)
          return replace(stem + @ending, &block) unless @number

          number = 1
          begin
            path = "#{stem}-#{number}#{@ending}"
            File.open(path, File::WRONLY | File::CREAT | File::EXCL, 0o600, binmode: true, &block)
          rescue Errno::EEXIST
            number += 1
            retry
          end
          path
        end

        private

        def stem
          name = @path.delete_suffix(@ending)
          @pid ? "#{name}-#{Process.pid}" : name
        end

        # By rename: who reads the old one reads it whole.
        def replace(path, &block)
          fresh = "#{path}.#{Process.pid}"
          File.unlink(fresh) if File.symlink?(fresh) || File.exist?(fresh)
          File.open(fresh, File::WRONLY | File::CREAT | File::EXCL, 0o600, binmode: true, &block)
          File.rename(fresh, path)
          path
        rescue StandardError
          File.unlink(fresh) if File.exist?(fresh)
          raise
        end
      end
    end
  end
end
