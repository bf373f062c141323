# frozen_string_literal: true

module Spate
  module Server
    module Workers
      # A file with the process id of the server that handles signals.
      class PidFile
        # permissions: mode of the file. text: a block that returns the file's content.
        def initialize(path, permissions: 0o644, &text)
          @path = File.expand_path(path)
          @permissions = permissions
          @text = text || -> { "#{Process.pid}\n" }
        end

        # A state file like puma's, for deployment tools.
        def self.state(path, permissions)
          new(path, permissions: permissions || 0o644) do
            "---\npid: #{Process.pid}\nrunning_from: #{Dir.pwd.inspect}\n"
          end
        end

        # Writes a new file and renames it, so that readers see a complete number. Raises Server::Error.
        def write
          temporary = "#{@path}.#{Process.pid}"
          File.unlink(temporary) if File.symlink?(temporary) || File.exist?(temporary)
          # With EXCL, another user's symlink is not followed.
          File.open(temporary, File::WRONLY | File::CREAT | File::EXCL, @permissions) { |file| file.write(@text.call) }
          File.rename(temporary, @path)
        rescue SystemCallError => e
          raise Error.new("#{@path} cannot be written: #{Error.reason(e)}", hint: "choose another --pid-file")
        end

        # Writes the file again if the old server of a hot restart has removed it. A newer server may have written it,
        # and this server may have stopped.
        def restore
          write unless @removed || running?
        end

        # Removes the file, unless the new server of a hot restart has replaced it.
        def remove
          @removed = true
          File.unlink(@path) if File.read(@path) == @text.call
        rescue SystemCallError
          nil
        end

        private

        # Whether the process named in the file exists.
        def running?
          Process.kill(0, Integer(File.read(@path)[/\d+/]))
          true
        rescue Errno::EPERM
          true
        rescue SystemCallError, TypeError
          false
        end
      end
    end
  end
end
