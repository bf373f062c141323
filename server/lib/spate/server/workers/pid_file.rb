# frozen_string_literal: true

module Spate
  module Server
    module Workers
      # A file with the process id of the server that handles signals.
      class PidFile
        def initialize(path)
          @path = File.expand_path(path)
        end

        # Writes a new file and renames it, so that readers see a complete number. Raises Server::Error.
        def write
          temporary = "#{@path}.#{Process.pid}"
          File.unlink(temporary) if File.symlink?(temporary) || File.exist?(temporary)
          # With EXCL, another user's symlink is not followed.
          File.open(temporary, File::WRONLY | File::CREAT | File::EXCL, 0o644) { |file| file.puts(Process.pid) }
          File.rename(temporary, @path)
        rescue SystemCallError => e
          raise Error.new("#{@path} cannot be written: #{Error.reason(e)}", hint: "choose another --pid-file")
        end

        # Removes the file, unless the new server of a hot restart has replaced it.
        def remove
          File.unlink(@path) if File.read(@path).to_i == Process.pid
        rescue SystemCallError
          nil
        end
      end
    end
  end
end
