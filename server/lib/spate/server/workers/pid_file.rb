# frozen_string_literal: true

module Spate
  module Server
    module Workers
      # The number of the process that takes signals.
      class PidFile
        # Server::Error where it cannot be written.
        def initialize(path)
          @path = File.expand_path(path)
        end

        # By rename, so that readers see a whole number, the old one or the new one.
        def write
          temporary = "#{@path}.#{Process.pid}"
          File.unlink(temporary) if File.symlink?(temporary) || File.exist?(temporary)
          # No link of somebody else's is followed where others may write, too.
          File.open(temporary, File::WRONLY | File::CREAT | File::EXCL, 0o644) { |file| file.puts(Process.pid) }
          File.rename(temporary, @path)
        rescue SystemCallError => e
          raise Error.new("#{@path} cannot be written: #{Error.reason(e)}", hint: "choose another --pid-file")
        end

        # Unless the new server of a hot restart wrote its own.
        def remove
          File.unlink(@path) if File.read(@path).to_i == Process.pid
        rescue SystemCallError
          nil
        end
      end
    end
  end
end
