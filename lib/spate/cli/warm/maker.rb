# frozen_string_literal: true

require "pty"

module Spate
  module CLI
    class Warm < Command
      # Starts a warm parent from a background process. Loads the application under the tracer to find the files and
      # variables that a boot reads. Then loads it again in the parent, and writes the record if these files have not
      # changed since.
      class Maker
        # Kernel files that do not change until the machine is rebooted, or that belong to the process.
        HARMLESS = %r{\A(?:/proc/(?:self|thread-self|\d+)(?:/|\z)|
                          /proc/(?:cpuinfo|filesystems|meminfo|sys/|version|stat\z)|
                          /sys/(?:devices/system/cpu|fs/(?:cgroup|selinux)|kernel/mm)(?:/|\z)|
                          /dev/(?:null|zero|u?random|tty|shm|pts(?:/\d+)?|std\w+)\z)}nx
        # The maximum time to load the application (seconds).
        PATIENCE = 300
        Refused = InPlace::Recorder::Refused

        # What a parent is made for. kind, streams: see core/front/warm. asked: when the command was started.
        Command = Struct.new(:program, :kind, :streams, :env, :asked)
        # Programs that read all variables without getenv. Others are traced by name.
        WHOLE_ENVIRONMENT = %r{/(?:(?:ba|da|z|k|a|tc|c)?sh|fish|busybox|env|printenv|make|[gmn]?awk|perl|python|ruby|
                               node)[\d.]*\z}x
        OWN_ENVIRONMENT = "/proc/self/environ"
        # Constants that are defined only in some programs before they load the application.
        PROGRAMS = /\bdefined\?\W*(?:Rake|RSpec|Minitest)\b/n

        # launcher: path of `spate-ruby`. place: Place of the project. general, specific: paths of the record; the
        # second one if the application depends on the program's name.
        def initialize(launcher, place, command, general, specific)
          @launcher = launcher
          @place = place
          @command = command
          @general = general
          @specific = specific
        end

        # Starts the parent, or stores the reason of the failure. Does nothing while another process is starting the
        # same parent. Returns false if no parent was started, so that another depth can be tried.
        def call
          @place.alone(@command.kind, @command.streams) do
            early = ::Spate::Boot::WarmParent::Script.early?(@command.program)
            refuse("#{@command.program} uses ENV or loads files before it loads the application") if early
            attempt
          end
        rescue Refused => e
          @place.refused(@command.kind, e.message) unless framework?
          false
        end

        private

        def framework? = @command.kind.start_with?("framework ")

        def attempt(settle = InPlace::Recorder::SETTLE)
          sleep settle.first
          make
        rescue InPlace::Recorder::Passing
          raise if settle.one?

          attempt(settle.drop(1))
        end

        def make
          @started = Inputs.start
          @socket = @place.socket
          trace = trace()
          found = reported
          reads, folders = %w[reads folder].map { |word| found.fetch(word, []) }
          obstacle(found) { |text| refuse(text) }
          refuse_reads(reads, trace)
          @path = reads.include?("program") ? @specific : @general
          marks = marks(trace, folders)
          pid = serve
          obstacle(reported) { |text| stop(pid, text) }
          sleep InPlace::Recorder::SETTLE.first
          changed = marks.difference(marks(trace, folders))
          stop(pid, "#{File.join(*changed.first(2))} changed", InPlace::Recorder::Passing) if changed
          record = InPlace::Record.new(marks, @command.env, ignored(trace, reads)).to_s("#{@socket}\n", 1)
          @place.add(pid, @command.kind, @command.streams, @socket, @path)
          Util::Files.write(@path, record, permissions: 0o600) # `add` may have removed the record of an older parent
          @place.off if @place.off_since?(@command.asked)
          true
        end

        def obstacle(found)
          found["obstacle"]&.first&.then { |text| yield "the loaded #{@command.kind[/\w+/]} has #{text}" }
        end

        # Inputs that a record cannot have.
        def refuse_reads(reads, trace)
          arguments = reads.grep(/\AARGV: /).first
          refuse("loading the application reads #{arguments.sub(":", " at")}") if arguments
          refuse("loading the application reads standard input") if @stdin_read
          depends = trace.paths.find { |path, kinds| kinds.include?(:read) && depends_on_program?(path) }
          refuse("#{depends.first} depends on whether Rake, RSpec or Minitest is defined") if depends
        end

        # Whether one of the application's own files checks which program loads it. The framework runs only the prologue
        # of config/application.rb.
        def depends_on_program?(path)
          return false if framework? && path == File.join(@place.root, ::Spate::Boot::WarmParent::Prologue::FILE)

          path.start_with?("#{@place.root}/") && !path.start_with?("#{@place.root}/vendor/") && path.end_with?(".rb") &&
            PROGRAMS.match?(File.binread(path))
        rescue SystemCallError
          false
        end

        # Variables of the session count if something has read all variables.
        def ignored(trace, reads)
          whole = trace.paths.any? do |path, kinds|
            next true if path == OWN_ENVIRONMENT

            kinds.include?(:run) && path != Util::Ruby.path && WHOLE_ENVIRONMENT.match?(path)
          end
          whole || reads.include?("environment") ? [] : InPlace.ignored(trace)
        end

        def report = @report ||= @place.temporary("report")
        def refuse(reason) = raise(Refused, reason)
        def words = [Util::Ruby.path, "--disable-gems", @launcher, "exec", "rails"]

        def role(task, terminal = nil)
          lines = [task, @command.kind, @command.program, report]
          lines.push(@socket, @place.attempts(@command.kind, @command.streams), *terminal&.fileno) if task == "serve"
          { ::Spate::Boot::WarmParent::ROLE => lines.join("\n") }
        end

        def trace
          Tracer.trace do |tracer|
            # Background builders are turned off, because they use the tracer themselves.
            env = @command.env.merge(role("trace"), InPlace::MARK => "1", "SPATE_BOOT_BACKGROUND" => "0")
            with_streams do |streams|
              words = tracer.command(*words())
              env = env.merge(tracer.environment({}, env))
              pid = fork do
                Process.setpriority(Process::PRIO_PROCESS, 0, 19)
                Process.exec(env, *words, unsetenv_others: true, **streams, **tracer.options)
              end
              status = Process.wait2(pid).last
              @stdin_read = streams[:in].is_a?(File) && streams[:in].sysseek(0, IO::SEEK_CUR).positive?
              refuse("the application cannot be loaded: #{status}") unless status.success?
            end
          end
        rescue Native::Tracer::Error => e
          refuse(e.message)
        end

        # The report of the application's process, by the first word of the lines: {"obstacle" => ["a thread: ..."]}.
        def reported
          words = File.readlines(report, chomp: true).map { |line| line.split(" ", 2) }
          words.group_by(&:first).transform_values { |lines| lines.map(&:last) }
        ensure
          Util::Files.remove(report)
        end

        # Files that a boot only writes are ignored. Files that it reads and then writes are refused.
        def marks(trace, folders)
          refuse(trace.trouble.first) if trace.trouble.any?
          marks = InPlace::Marks.new(@started, folders, harmless: HARMLESS, listed: folders)
          trace.paths.each do |path, kinds|
            refuse("loading the application connects to #{path}") if kinds.include?(:connected)
            refuse("loading the application reads and writes #{path}") if read_and_written?(path, kinds)
            marks.add(path.b, kinds) unless kinds.include?(:written) || path.start_with?(@place.caches)
          end
          marks.tap { marks.prove_times(@path) }
        end

        # Whether a boot reads the path and then writes it. Ignores Spate's caches, which do not affect the behaviour of
        # a program.
        def read_and_written?(path, kinds)
          !path.start_with?(@place.caches) && kinds.first != :written && (%i[written read] - kinds).empty?
        end

        # Starts the parent, and waits until its socket exists. Returns its process id.
        def serve
          pid = with_streams do |streams, terminal|
            options = terminal ? { terminal => terminal } : {}
            fork do
              Process.setsid
              env = @command.env.merge(role("serve", terminal))
              Process.exec(env, *words, unsetenv_others: true, **streams, **options)
            end
          end
          await(pid)
          pid
        end

        def await(pid)
          give_up = Util.now + PATIENCE
          until File.socket?(@socket)
            ended = Process.wait(pid, Process::WNOHANG)
            refuse("the parent ended: #{$?}") if ended
            stop(pid, "the parent did not answer within #{PATIENCE} s") if Util.now > give_up
            sleep 0.02
          end
        end

        def stop(pid, reason, error = Refused)
          Process.kill(:KILL, pid)
          Util::Files.remove(@socket)
          raise error, reason
        end

        # Yields redirections with a terminal for each stream that is a terminal in the client and a file for each other
        # stream, and the master side of the terminal (nil if there is none).
        def with_streams
          terminal, screen = PTY.open if @command.streams.include?("t")
          files = [line_file, text_file, text_file]
          streams = %i[in out err].zip(@command.streams.chars, files).to_h do |name, letter, file|
            [name, letter == "t" ? screen : file]
          end
          yield streams, terminal
        ensure
          [terminal, screen, *files].compact.each(&:close)
        end

        # Has content, so that its position shows whether it was read.
        def line_file
          text_file.tap do |file|
            file.syswrite("\n")
            file.sysseek(0)
          end
        end

        def text_file
          path = @place.temporary("output")
          File.open(path, "a+").tap { File.unlink(path) }
        end
      end
    end
  end
end
