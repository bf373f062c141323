# frozen_string_literal: true

module Spate
  module Boot
    # A process that has loaded the application and forks a child for each command, until a file or variable that the
    # boot depends on changes (docs/warm.md). `spate exec` becomes a warm parent if CLI::Warm::Maker started it.
    class WarmParent
      autoload :ChildEnd, "#{FOLDER}/warm_parent/child_end"
      autoload :Offer, "#{FOLDER}/warm_parent/offer"
      autoload :Obstacles, "#{FOLDER}/warm_parent/obstacles"
      autoload :OpenFiles, "#{FOLDER}/warm_parent/open_files"
      autoload :Openings, "#{FOLDER}/warm_parent/openings"
      autoload :Prologue, "#{FOLDER}/warm_parent/prologue"
      autoload :Reads, "#{FOLDER}/warm_parent/reads"
      autoload :Script, "#{FOLDER}/warm_parent/script"

      # The environment variable with the arguments of `new`, one per line: the task, the kind ("application test"), the
      # program of the command, the path of the report, the path of the socket, a file that is removed when a command
      # uses the parent, and the file descriptor of the other side of its terminal, if any. The task "trace" loads the
      # application, writes a report and exits; "serve" also waits for commands. With the kind "framework test", only
      # Rails and the bundle are loaded.
      ROLE = "SPATE_WARM_PARENT"
      # A parent without commands exits after this time (milliseconds).
      IDLE = 30 * 60 * 1000
      # Milliseconds between two checks whether the parent is still needed.
      PULSE = 2000
      FILE = "config/environment"
      # Files of Rails that its own commands load before the application, by the last word of the kind.
      COMMANDS = { "console" => "rails/commands/console/console_command",
                   "server" => "rails/commands/server/server_command" }.freeze
      ENVIRONMENTS = %w[RAILS_ENV RACK_ENV].freeze
      MAGIC = "SPATEW2"
      MASK_MAX = (1 << 64) - 1
      DESCRIPTOR_MAX = (1 << 15) - 1
      # The request of a client. ignored, blocked: signal masks. others: numbers of file descriptors.
      Request = Struct.new(:words, :environment, :ignored, :blocked, :others) do
        # Returns nil for a malformed text.
        def self.parse(text)
          magic, ignored, blocked, others, count, *rest = text.split("\0", -1)
          return unless magic == MAGIC && rest.pop == ""

          words = rest.shift(number(count, rest.size))
          entries = rest.drop(1)
          return unless entries.size == number(rest.first, rest.size) && !words.empty?

          new(words, entries.to_h { |entry| entry.split("=", 2) }, number(ignored, MASK_MAX), number(blocked, MASK_MAX),
              others.split(",").map { |each| number(each, DESCRIPTOR_MAX) })
        rescue ArgumentError, TypeError
          nil
        end

        def self.number(text, most)
          value = Integer(text, 10)
          value.between?(0, most) ? value : raise(ArgumentError)
        end
        private_class_method :number
      end

      # Returns a WarmParent, or nil for an ordinary process. Removes the variable, so that the application does not see
      # it.
      def self.from(env)
        role = env.delete(ROLE) or return
        ChildEnd.arm # before any handler of the application, so that it runs last
        new(*role.split("\n"))
      end

      def initialize(task, kind, program, report, socket = nil, unused = nil, terminal = nil)
        @task = task
        @depth, @environment, @command = kind.split
        @program = program
        @launcher = File.expand_path($PROGRAM_NAME)
        @report = report
        @socket = socket
        @unused = unused
        @terminal = IO.for_fd(Integer(terminal, 10), autoclose: false) if terminal
      end

      # Loads the application. "serve" returns only in forked children, with the words of the command to run.
      def call
        Boot.session.logged = false
        Openings.start if @task == "trace"
        obstacles = Obstacles.new(traced: @task == "trace")
        load_application
        report("obstacle" => obstacles.to_a, "reads" => @reads&.report, "folder" => folders)
        exit!(0) if @task == "trace"
        File.write("/proc/self/comm", File.basename(@launcher)) # as of a process that runs the launcher
        @files = OpenFiles.new
        @output = output
        serve
      end

      private

      def framework? = @depth == "framework"

      def load_application
        Boot::Exec::BundlerSetup.set_up
        Signal.trap("INT", "DEFAULT")
        # `rails test` and rspec set RAILS_ENV later, in a test helper.
        @named = ENVIRONMENTS.all? { |name| ENV[name].to_s.empty? } && @environment != "development"
        ENV["RAILS_ENV"] = @environment if @named
        $0 = Script.path(@program)
        command = COMMANDS[@command]
        require "rails/command" if command
        require command if command
        @reads = Reads.new.tap(&:start) if @task == "trace"
        framework? ? Prologue.run(Dir.pwd) : require(File.join(Dir.pwd, FILE))
      ensure
        @reads&.stop
      end

      def report(lines)
        lines = lines.flat_map { |word, texts| texts.to_a.map { |text| "#{word} #{text.tr("\n", " ")}\n" } }
        File.write(@report, lines.join)
      end

      def folders = $LOAD_PATH.grep(String).select { |path| path.start_with?("/") }

      # The application's output while it was loading: [text of stdout, text of stderr].
      def output
        texts = [$stdout, $stderr].map do |stream|
          stream.flush
          stream.tty? ? "" : File.binread("/proc/self/fd/#{stream.fileno}")
        end
        texts[1] += @terminal.read_nonblock(1 << 20, exception: false).to_s if @terminal
        texts
      end

      def serve
        Native::Warm.listen(@socket)
        mine = Process.pid
        before = %w[TERM HUP].to_h { |name| [name, Signal.trap(name) { @ending = true if Process.pid == mine }] }
        each_request do |request|
          ready, told = IO.pipe
          pid = fork
          return become(request, before, ready, told) unless pid

          told.write("x") if Native::Warm.started(pid)
          used
          [ready, told].each(&:close)
        end
        exit!(0) # skips the application's at_exit handlers, which are meant for commands
      end

      # So the next parent need not wait.
      def used
        File.unlink(@unused) if @unused
      rescue SystemCallError
        nil # already removed, or a full disk
      ensure
        @unused = nil
      end

      # Yields each request. Returns when the parent is not needed any more and its children have exited.
      def each_request
        idle = 0
        while Native::Warm.children.positive? || (idle < IDLE && wanted?)
          text = Native::Warm.wait(PULSE)
          idle = text || Native::Warm.children.positive? ? 0 : idle + PULSE
          request = Request.parse(text) if text
          next (Native::Warm.refuse if text) unless request && accept?(request)

          yield request
        end
        File.unlink(@socket) if File.socket?(@socket)
      end

      def accept?(request)
        !@ending && Native::Warm.fits?(request.others) && !Script.early?(request.words.first)
      end

      # `spate warm off` removes the socket. FILE is missing if the application was removed.
      def wanted? = !@ending && File.socket?(@socket) && File.file?("#{FILE}.rb") && memory?

      # Whether more than 1/20 of the memory is available.
      def memory?
        total, available = File.read("/proc/meminfo").scan(/^Mem(?:Total|Available): +(\d+)/).flatten.map(&:to_i)
        available.nil? || available * 20 > total
      rescue SystemCallError
        true
      end

      # Turns the forked child into the command. `ready` contains a byte if the client was informed of this child.
      # Otherwise the client has given up and boots without a parent, so this process exits.
      def become(request, before, ready, told)
        told.close
        exit!(0) unless ready.read(1)
        ready.close
        Native::Warm.become(request.blocked, request.others)
        @files.reopen
        @terminal&.close
        before.each { |name, handler| Signal.trap(name, handler || "DEFAULT") }
        Signal.list.each { |name, number| ignore(name) if number.positive? && request.ignored[number - 1] == 1 }
        ENV.delete("RAILS_ENV") if @named
        take_environment(request.environment)
        Random.srand
        ChildEnd.start(@output)
        Offer.deeper(request.words, Dir.pwd, request.environment, @launcher) if framework?
        program, *arguments = request.words
        [Script.own_rails?(program) ? Script::RAILS : program, *arguments]
      end

      # Sets the variables that differ from the parent's. The record guarantees that the boot has not read any of them.
      def take_environment(given)
        own = Boot.session.environment
        (own.keys | given.keys).each { |name| ENV[name] = given[name] unless own[name] == given[name] }
      end

      def ignore(name)
        Signal.trap(name, "IGNORE")
      rescue ArgumentError
        nil # a signal that Ruby uses itself, or KILL or STOP
      end
    end
  end
end
