# frozen_string_literal: true

module Spate
  module Boot
    # A process that has loaded the application, and forks a child for each command as long as everything that the boot
    # depends on is unchanged (docs/warm.md). `spate exec` becomes a parent if CLI::Warm::Maker started it.
    class WarmParent
      autoload :ChildEnd, "#{FOLDER}/warm_parent/child_end"
      autoload :Offer, "#{FOLDER}/warm_parent/offer"
      autoload :Obstacles, "#{FOLDER}/warm_parent/obstacles"

      # Its role: "trace" loads the application, writes a report, and ends; "serve" waits for commands. Lines: the task,
      # the name of the environment, the path of the report, that of the socket, and the descriptor of the other side of
      # its terminal, if any.
      ROLE = "SPATE_WARM_PARENT"
      # Milliseconds without a command after which a parent ends.
      IDLE = 30 * 60 * 1000
      # Milliseconds between two looks at whether the parent is still wanted.
      PULSE = 2000
      FILE = "config/environment"
      RAILS = "bin/rails"
      OWN_RAILS = %r{\A#!/usr/bin/env ruby\n.*(?:APP|ENGINE)_PATH}m
      ENVIRONMENTS = %w[RAILS_ENV RACK_ENV].freeze
      MAGIC = "SPATEW2"
      # The request of a client. ignored, blocked: masks of signals. others: numbers of descriptors.
      Request = Struct.new(:words, :environment, :ignored, :blocked, :others) do
        def self.parse(text)
          magic, ignored, blocked, others, count, *rest = text.split("\0", -1)
          return unless magic == MAGIC && rest.pop == ""

          words = rest.shift(Integer(count, 10))
          entries = rest.drop(1)
          return unless entries.size == Integer(rest.first, 10) && !words.empty?

          new(words, entries.to_h { |entry| entry.split("=", 2) }, Integer(ignored, 10), Integer(blocked, 10),
              others.split(",").map { |number| Integer(number, 10) })
        rescue ArgumentError, TypeError
          nil
        end
      end

      # The role, which the application does not see; nil for an ordinary process.
      def self.from(env)
        role = env.delete(ROLE) or return
        ChildEnd.arm # before any handler of the application, so that it runs last
        new(*role.split("\n"))
      end

      def initialize(task, environment, report, socket = nil, terminal = nil)
        @task = task
        @environment = environment
        @report = report
        @socket = socket
        @terminal = IO.for_fd(Integer(terminal, 10), autoclose: false) if terminal
      end

      # Loads the application. For "serve": returns the words of a command, in a new process that runs it.
      def call
        load_application
        if @task == "trace"
          File.write(@report, folders.join("\n"))
          exit!(0)
        end
        File.write(@report, Obstacles.new.to_a.join("\n"))
        @output = output
        serve
      end

      private

      def load_application
        Boot::Exec::BundlerSetup.set_up
        Signal.trap("INT", "DEFAULT")
        # `rails test` and rspec set it later, in a file of the tests.
        @named = ENVIRONMENTS.all? { |name| ENV[name].to_s.empty? } && @environment != "development"
        ENV["RAILS_ENV"] = @environment if @named
        require File.join(Dir.pwd, FILE)
      end

      def folders = $LOAD_PATH.grep(String).select { |path| path.start_with?("/") }

      # The output from loading the application: [text of stdout, text of stderr].
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
          [ready, told].each(&:close)
        end
        exit!(0) # without the handlers of the application, which are for programs
      end

      # Ends when the parent is not wanted any more, and its children have ended.
      def each_request
        idle = 0
        while Native::Warm.children.positive? || (idle < IDLE && wanted?)
          text = Native::Warm.wait(PULSE)
          idle = text || Native::Warm.children.positive? ? 0 : idle + PULSE
          request = Request.parse(text) if text
          next (Native::Warm.refuse if text) if request.nil? || @ending || !Native::Warm.fits?(request.others)

          yield request
        end
        File.unlink(@socket) if File.socket?(@socket)
      end

      # `spate warm off` removes the socket. The working directory is missing if the application is gone.
      def wanted? = !@ending && File.socket?(@socket) && File.file?("#{FILE}.rb") && memory?

      # Whether a twentieth of the memory is available.
      def memory?
        total, available = File.read("/proc/meminfo").scan(/^Mem(?:Total|Available): +(\d+)/).flatten.map(&:to_i)
        available.nil? || available * 20 > total
      rescue SystemCallError
        true
      end

      # ready: has a byte once the client knows of the child. A client that has given up boots instead.
      def become(request, before, ready, told)
        told.close
        exit!(0) unless ready.read(1)
        ready.close
        Native::Warm.become(request.blocked, request.others)
        @terminal&.close
        before.each { |name, handler| Signal.trap(name, handler || "DEFAULT") }
        Signal.list.each { |name, number| ignore(name) if number.positive? && request.ignored[number - 1] == 1 }
        ENV.delete("RAILS_ENV") if @named
        take_environment(request.environment)
        Random.srand
        ChildEnd.start(@output)
        program, *arguments = request.words
        [own_rails?(program) ? RAILS : program, *arguments]
      end

      # The program of railties runs the application's in a new process.
      def own_rails?(program)
        program == "rails" && File.executable?(RAILS) && OWN_RAILS.match?(File.read(RAILS))
      end

      # The record proves that nothing else differs but variables that the boot has not read.
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
