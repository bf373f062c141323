# frozen_string_literal: true

require "rbconfig"
require "socket"

module Runner
  # A Ruby process that has loaded minitest and forks a process for each test program. This saves starting Ruby and
  # loading RubyGems and minitest. A program with FRESH among its first lines gets a separate Ruby.
  #
  # The parent has one thread and runs no test itself. For each program it forks a keeper, which leads a process group,
  # forks the program, waits for it, and writes the result to its connection.
  class Preloaded
    FRESH = "# process: fresh\n"
    PARENT = File.expand_path("preloaded_parent.rb", __dir__)

    # A started program. pid: the ID of its keeper and of the process group.
    Started = Struct.new(:pid, :connection) do
      # [whether it succeeded, seconds of processor time with child processes]; [false, 0.0] if its keeper was killed.
      def wait
        good, seconds = connection.gets&.split
        [good == "true", seconds.to_f]
      ensure
        connection.close
      end
    end

    # A test program for Job. folders: the load path.
    Program = Struct.new(:preloaded, :path, :arguments, :folders) do
      def start(root, env, output)
        paths = folders.map { |folder| File.expand_path(folder, root) }
        preloaded.start([path, arguments, paths, root, ENV.to_h.merge(env).compact], output)
      end
    end

    def initialize(ruby = RbConfig.ruby)
      @ruby = ruby
      @mutex = Mutex.new
    end

    # Returns nil for a program that needs a separate Ruby.
    def program(path, arguments, folders)
      Program.new(self, path, arguments, folders) unless File.foreach(path).first(5).include?(FRESH)
    end

    # request: [path, arguments, folders, root, environment]. output: an IO for both streams.
    def start(request, output)
      mine, theirs = UNIXSocket.pair
      bytes = Marshal.dump(request)
      @mutex.synchronize do
        [theirs, output].each { |io| parent.send_io(io) }
        parent.write([bytes.bytesize].pack("N"), bytes)
      end
      theirs.close
      Started.new(Integer(mine.gets, 10), mine)
    end

    private

    # The parent exits when this process exits, because the other end of its socket is then closed.
    def parent
      @parent ||= begin
        mine, theirs = UNIXSocket.pair
        @pid = Process.spawn(@ruby, "-W:deprecated", PARENT, in: File::NULL, 3 => theirs)
        Process.detach(@pid)
        theirs.close
        mine
      end
    end
  end
end
