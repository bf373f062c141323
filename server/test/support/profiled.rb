# frozen_string_literal: true

require "json"
require "support/running"
require "support/scratch_gem"

module Spate
  module Server
    # Starts servers with a profiler, and provides a recording with known stacks.
    module Profiled
      include Running

      HOT = File.expand_path("hot_server.rb", __dir__)
      PATHS = %w[../../lib ../../../bytes/lib].map { |path| "-I#{File.expand_path(path, __dir__)}" }.freeze

      # Starts a server with one hot method.
      def serve_hot(environment = {}, **options)
        reader, writer = IO.pipe
        @server = Process.spawn(environment, RbConfig.ruby, *PATHS, HOT, JSON.generate(options), err: writer)
        writer.close
        @log = reader
        @port = Timeout.timeout(SECONDS) { reader.gets }.to_s[/:(\d+)$/, 1] or flunk("it did not start")
      end

      # Sends requests over one connection until the server has used this many seconds of CPU time.
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

      # The profiler that the server prefers under this Ruby.
      def profiler = RUBY_VERSION >= "3.3" ? "vernier" : "stackprof"

      # Returns the environment of a process that profiles. Skips the test if the gem cannot be installed.
      def gem_home(name = profiler)
        { "GEM_HOME" => ScratchGem.home(name) || skip("the gem #{name} cannot be installed here") }
      end

      # A result of Vernier with two threads. In the first, main calls work (3 ms) and wait (1 ms), and GC takes 2 ms.
      # In the second, "<b>&" takes 4 ms. Has the interface of Vernier::Output.
      class Known
        MAIN = Profile::Recording::Frame.new("main", "/app/main.rb", 1)
        WORK = Profile::Recording::Frame.new("App#work", "/app/work.rb", 10)
        WAIT = Profile::Recording::Frame.new("IO#wait", "<cfunc>")
        GC = Profile::Recording::Frame.new("(garbage collection)")
        ODD = Profile::Recording::Frame.new("App#<b>&</script>", "/x/gems/odd-1.0/lib/odd.rb", 5)

        def initialize(odd: ODD.path, **facts)
          @odd = Profile::Recording::Frame.new(ODD.name, odd, ODD.line)
          @facts = facts
        end

        def facts = { "profiler" => "stackprof", "mode" => "cpu", "seconds" => 0.01, "missed" => 0, **@facts }

        def each_stack
          yield "main", [[MAIN, 2], [WORK, 11]], 3000, 3
          yield "main", [[MAIN, 3], [WAIT, 0]], 1000, 1
          yield "main", [[GC, 0]], 2000, 2
          yield "other", [[@odd, 6]], 4000, 4
        end
      end

      def known(**options) = Profile::Recording.new(Known.new(**options))
    end
  end
end
