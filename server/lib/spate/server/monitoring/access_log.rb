# frozen_string_literal: true

module Spate
  module Server
    module Monitoring
      # Writes a line for each answered request. Lines are buffered and written together when the buffer is full, and at
      # least once a second. Several processes may append to one file, because each write consists of whole lines. A
      # write to a pipe is not longer than PIPE_BUF. A blocked file never blocks requests: its lines are dropped and
      # counted.
      class AccessLog
        autoload :CombinedFormat, "spate/server/monitoring/access_log/formats"
        autoload :CommonFormat, "spate/server/monitoring/access_log/formats"
        autoload :Escaping, "spate/server/monitoring/access_log/formats"
        autoload :JSONFormat, "spate/server/monitoring/access_log/formats"

        FORMATS = { "json" => :JSONFormat, "common" => :CommonFormat, "combined" => :CombinedFormat }.freeze
        # BUFFER: bytes that are buffered for a file. PIPE: bytes that are buffered for a pipe (PIPE_BUF).
        BUFFER = 32_768
        PIPE = 4096
        STANDARD = "-"

        # path: a file to append to, or "-" for the standard output. log: called with a line when writing fails. The
        # block is called with the number of requests that were not logged. Raises Server::Error when the file cannot be
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

        # Logs a request. The parameters are those of Observer#answered.
        def answered(connection, request, status, bytes, seconds)
          line = @format.line(connection&.peer, request, status, bytes, seconds)
          flush if @buffer.bytesize + line.bytesize > @most
          @buffer << line
        end

        def flush
          return if @buffer.empty?

          lines, @buffer = @buffer, +""
          @sink.later(lines.bytesize) { write(lines) } || lose(lines, "the queue is full")
        end

        # Opens the path again, for log rotation. If that fails, continues with the old file.
        def reopen
          flush
          @sink.later(0) do
            open
          rescue Error => e
            @log&.call(e.message)
          end
        end

        # Writes the last lines. The wait is limited.
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
          lose(lines, Error.reason(e))
        end

        # Counts lost lines. Serving continues without the log. The failure is logged once, and again only after lines
        # were written.
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
