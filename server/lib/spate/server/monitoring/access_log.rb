# frozen_string_literal: true

module Spate
  module Server
    module Monitoring
      # A line for each request that was answered. Lines gather in memory and are written together: when there are
      # enough of them, and once a second. Several processes may write to one file, for each write is whole lines at its
      # end; to a pipe they write no more at once than the kernel keeps together. Nobody waits for a file that takes
      # nothing: its lines are dropped and counted.
      class AccessLog
        autoload :CombinedFormat, "spate/server/monitoring/access_log/formats"
        autoload :CommonFormat, "spate/server/monitoring/access_log/formats"
        autoload :Escaping, "spate/server/monitoring/access_log/formats"
        autoload :JSONFormat, "spate/server/monitoring/access_log/formats"

        FORMATS = { "json" => :JSONFormat, "common" => :CommonFormat, "combined" => :CombinedFormat }.freeze
        # Bytes that may wait for a file, and for a pipe (PIPE_BUF).
        BUFFER = 32_768
        PIPE = 4096
        STANDARD = "-"

        # path: a file that is appended to, or "-" for the standard output. log: told when nothing can be written. The
        # block is called with the number of requests that were not logged. Server::Error where the file cannot be
        # opened.
        def initialize(path, format: "json", log: nil, out: $stdout, &unlogged)
          @path = path
          @format = AccessLog.const_get(FORMATS.fetch(format)).new
          @log = log
          @out = out
          @unlogged = unlogged
          @buffer = +""
          @sink = BackgroundWriter.new
          @mutex = Mutex.new
          @lost = 0
          open
        end

        # As of Observer#answered.
        def answered(connection, request, status, bytes, seconds)
          line = @format.line(connection&.peer, request, status, bytes, seconds)
          flush if @buffer.bytesize + line.bytesize > @most
          @buffer << line
        end

        def flush
          return if @buffer.empty?

          lines, @buffer = @buffer, +""
          @sink.later(lines.bytesize) { write(lines) } || lose(lines, "it takes no more")
        end

        # The file was moved away; the next lines go to a new one of its name. Where that cannot be opened they still go
        # to the old one.
        def reopen
          flush
          @sink.later(0) do
            open
          rescue Error => e
            @log&.call(e.message)
          end
        end

        # The last lines are written, if the file takes them soon.
        def close
          flush
          @sink.finish
        end

        private

        def open
          return use(@out, PIPE) if @path == STANDARD

          fresh = File.open(@path, File::WRONLY | File::APPEND | File::CREAT, 0o640)
          @file&.close
          use(fresh, BUFFER)
        rescue SystemCallError => e
          raise Error.new("#{@path} cannot be written to: #{Error.reason(e)}", hint: "choose another --access-log")
        end

        def use(file, most)
          file.sync = true
          @file = file
          @most = most
        end

        def write(lines)
          @file.write(lines)
          lost = @mutex.synchronize { @lost.tap { @lost = 0 } }
          @log&.call("#{@path}: #{lost} requests were not logged") if lost.positive?
        rescue SystemCallError, IOError => e
          lose(lines, e.message)
        end

        # Serving continues without the log. Reported once, until lines can be written again.
        def lose(lines, reason)
          count = lines.count("\n")
          before = @mutex.synchronize { @lost.tap { @lost += count } }
          @log&.call("#{@path}: #{reason}: requests are not logged") if before.zero?
          @unlogged&.call(count)
        end
      end
    end
  end
end
