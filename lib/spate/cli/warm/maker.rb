# frozen_string_literal: true

require "pty"

module Spate
  module CLI
    class Warm < Command
      # Makes a parent in the background. Loads the application under the tracer, which shows what a boot looks at;
      # loads it again in the process that stays; and writes the record if nothing of that has changed since.
      class Maker
        # Kernel state that is the same until the machine starts again, or that belongs to the process.
        HARMLESS = %r{\A(?:/proc/(?:self|thread-self|\d+)(?:/|\z)|/proc/(?:cpuinfo|meminfo|sys/|version|stat\z)|
                          /sys/(?:devices/system/cpu|fs/cgroup|kernel/mm)(?:/|\z)|
                          /dev/(?:null|zero|u?random|tty|shm|pts(?:/\d+)?|std\w+)\z)}nx
        # Seconds that an application may take to load.
        PATIENCE = 300
        Refused = InPlace::Recorder::Refused

        # place: Place of the project. kind, streams: see core/front/warm. path: of the record. asked: the time.
        def initialize(launcher, place, kind, streams, path, env, asked)
          @launcher = launcher
          @place = place
          @kind = kind
          @streams = streams
          @path = path
          @env = env
          @asked = asked
        end

        # Makes the parent, or stores the reason for the failure. Does nothing while another process makes it.
        def call
          @place.alone(@kind, @streams) { attempt }
        rescue Refused => e
          @place.refused(@kind, e.message)
        end

        private

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
          folders = reported
          marks = marks(trace, folders)
          pid = serve
          obstacle = reported.first and stop(pid, "the loaded application has #{obstacle}")
          sleep InPlace::Recorder::SETTLE.first
          changed = marks.difference(marks(trace, folders))
          stop(pid, "#{changed.first(2).join("/")} changed", InPlace::Recorder::Passing) if changed
          record = InPlace::Record.new(marks, @env, InPlace.ignored(trace)).to_s("#{@socket}\n", 1)
          @place.add(pid, @kind, @streams, @socket, @path)
          Util::Files.write(@path, record, permissions: 0o600) # after that of an older parent is removed
          @place.off if @place.off_since?(@asked)
        end

        def report = @report ||= @place.temporary("report")
        def refuse(reason) = raise(Refused, reason)
        def words = [Util::Ruby.path, "--disable-gems", @launcher, "exec", "rails"]

        def role(task, terminal = nil)
          lines = [task, @kind.split.last, report, (@socket if task == "serve"), terminal&.fileno].compact
          { ::Spate::Boot::WarmParent::ROLE => lines.join("\n") }
        end

        def trace
          Tracer.trace do |tracer|
            # Builders have tracers of their own.
            env = @env.merge(role("trace"), InPlace::MARK => "1", "SPATE_BOOT_BACKGROUND" => "0")
            with_streams do |streams|
              words = tracer.command(*words())
              env = env.merge(tracer.environment({}, env))
              pid = fork do
                Process.setpriority(Process::PRIO_PROCESS, 0, 19)
                Process.exec(env, *words, unsetenv_others: true, **streams, **tracer.options)
              end
              status = Process.wait2(pid).last
              refuse("the application cannot be loaded: #{status}") unless status.success?
            end
          end
        rescue Native::Tracer::Error => e
          refuse(e.message)
        end

        # The lines of the application's process.
        def reported
          File.readlines(report, chomp: true)
        ensure
          Util::Files.remove(report)
        end

        # A boot does not depend on files that it writes, unless it also reads them.
        def marks(trace, folders)
          refuse(trace.trouble.first) if trace.trouble.any?
          marks = InPlace::Marks.new(@started, folders, harmless: HARMLESS)
          trace.paths.each do |path, kinds|
            refuse("loading the application connects to #{path}") if kinds.include?(:connected)
            refuse("loading the application reads and writes #{path}") if read_and_written?(path, kinds)
            marks.add(path.b, kinds) unless kinds.include?(:written) || path.start_with?(@place.caches)
          end
          marks.tap { marks.prove_times(@path) }
        end

        # Spate's own caches do not change what a program does.
        def read_and_written?(path, kinds)
          !path.start_with?(@place.caches) && kinds.first != :written && (%i[written read] - kinds).empty?
        end

        # Starts the parent, and waits until it listens. Returns its process id.
        def serve
          pid = with_streams do |streams, terminal|
            options = terminal ? { terminal => terminal } : {}
            fork do
              Process.setsid
              Process.exec(@env.merge(role("serve", terminal)), *words, unsetenv_others: true, **streams, **options)
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
            stop(pid, "the parent does not answer after #{PATIENCE} s") if Util.now > give_up
            sleep 0.02
          end
        end

        def stop(pid, reason, error = Refused)
          Process.kill(:KILL, pid)
          Util::Files.remove(@socket)
          raise error, reason
        end

        # Yields the options of a process with terminals and files for its streams, as the client has them, and the
        # other side of the terminal.
        def with_streams
          terminal, screen = PTY.open if @streams.include?("t")
          files = [File.open(File::NULL), text_file, text_file]
          streams = %i[in out err].zip(@streams.chars, files).to_h do |name, letter, file|
            [name, letter == "t" ? screen : file]
          end
          yield streams, terminal
        ensure
          [terminal, screen, *files].compact.each(&:close)
        end

        def text_file
          path = @place.temporary("output")
          File.open(path, "a+").tap { File.unlink(path) }
        end
      end
    end
  end
end
