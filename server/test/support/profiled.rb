# frozen_string_literal: true

require "json"
require "support/running"

module Spate
  module Server
    # Servers that are profiled, and stacks that are known.
    module Profiled
      include Running

      HOT = File.expand_path("hot_server.rb", __dir__)
      PATHS = %w[../../lib ../../../bytes/lib].map { |path| "-I#{File.expand_path(path, __dir__)}" }.freeze

      # A server with one hot method.
      def serve_hot(environment = {}, **options)
        reader, writer = IO.pipe
        @server = Process.spawn(environment, RbConfig.ruby, *PATHS, HOT, JSON.generate(options), err: writer)
        writer.close
        @log = reader
        @port = Timeout.timeout(SECONDS) { reader.gets }.to_s[/:(\d+)$/, 1] or flunk("it did not start")
      end

      # Requests over one connection, until the process took so many seconds of CPU time.
      def load(seconds)
        enough = cpu + seconds
        socket = TCPSocket.new("127.0.0.1", @port)
        Timeout.timeout(SECONDS) do
          while cpu < enough
            socket.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n" * 8)
            8.times { socket.gets("burnt 4\n") }
          end
        end
      ensure
        socket&.close
      end

      def cpu = File.read("/proc/#{@server}/stat").rpartition(") ").last.split[11, 2].sum(&:to_i) / 100.0

      def eventually
        Timeout.timeout(SECONDS) { sleep 0.02 until yield }
      end

      # All stacks: outermost first, names only, with their microseconds.
      def stacks(recording)
        recording.by_node.transform_keys do |node|
          recording.tree.stack(node).map { |frame, _| recording.frames[frame].name }
        end
      end

      # main calls work (3 ms) and wait (1 ms); a collection takes 2 ms; a second thread's "<b>&" 4 ms.
      def known
        frame = Profile::Recording::Frame
        frames = [frame.new("(garbage collection)", nil, nil), frame.new("main", "/app/main.rb", 1),
                  frame.new("App#work", "/app/work.rb", 10), frame.new("IO#wait", "<cfunc>", nil),
                  frame.new("App#<b>&</script>", "/x/gems/odd-1.0/lib/odd.rb", 5)]
        tree = Profile::Tree.new
        work = tree.add([[1, 2], [2, 11]])
        samples = [1000, 2000, work, 7, 0, 3000, 1000, work, 7, 0, 4000, 1000, tree.add([[1, 3], [3, 0]]), 7, 1,
                   6000, 2000, tree.add([[0, 0]]), 7, 2, 9000, 4000, tree.add([[4, 6]]), 8, 0]
        facts = { "engine" => "own", "mode" => "cpu", "interval" => 1000, "monotonic" => 0.0005, "seconds" => 0.01,
                  "threads" => { "7" => "main", "8" => "other" }, "pid" => 1, "missed" => 0 }
        Profile::Recording.new(frames: frames, tree: tree, samples: samples, facts: facts)
      end
    end
  end
end
