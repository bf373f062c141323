# frozen_string_literal: true

module Spate
  module CLI
    class Install < Command
      class InPlace
        # Repeats an install under the tracer, and writes what it looked at: see core/front/in_place_record.h.
        class Recorder
          MAGIC = "SPATEIP1"
          HEADER = 88
          # Variables of terminals, sessions and shells. They differ in each window, and only the front end prints.
          IGNORED = %w[_ SHLVL PWD OLDPWD TERM TERM_* COLORTERM COLUMNS LINES LS_COLORS WINDOWID TMUX TMUX_PANE STY
                       GPG_TTY SSH_* XDG_SESSION_* NO_COLOR].freeze
          BOOT_ID = "/proc/sys/kernel/random/boot_id"
          MOUNTS = "/proc/self/mountinfo"
          # Kernel state that does not change the result, or is a part of the header.
          # Seconds.
          OLD = 30 * 86_400
          # Seconds. Every change before the trace is then older than the clock's tick.
          SETTLE = 0.1
          # Facts of the last event that may have any value.
          FREE = %w[event total reused seconds peak_memory in_folders noop].freeze
          DONE = [0, [], false].freeze

          # Why there can be no record: the message.
          class Refused < StandardError; end

          autoload :Marks, "spate/cli/install/in_place/recorder/marks"
          autoload :Texts, "spate/cli/install/in_place/recorder/marks"

          # launcher: `spate-ruby`. path: of the record. bundle: the folder of the gems. gemfile: value of --gemfile, or
          # nil.
          def initialize(launcher, path, bundle, gemfile, env)
            @launcher = launcher
            @path = path
            @bundle = bundle
            @gemfile = gemfile
            @env = env
            @store = File.expand_path("../..", path)
          end

          # Writes the record, or the reason why there is none.
          def call
            sleep SETTLE
            @started = Inputs.start
            keep(record(trace))
          rescue Refused => e
            keep(e.message.byteslice(0, HEADER - 1))
          end

          private

          # Removes old records as well, since a project may be gone. One that is still used is written again.
          def keep(bytes)
            Util::Files.write(@path, bytes, permissions: 0o600)
            others = Dir.glob("*", base: File.dirname(@path)).map { |name| File.join(File.dirname(@path), name) }
            others.each { |path| Util::Files.remove(path) if File.mtime(path) < Time.now - OLD }
          rescue SystemCallError
            nil # a full disk, or another process removed it
          end

          def record(trace)
            facts = facts(trace.value)
            refuse(trace.trouble.first) if trace.trouble.any?
            refuse("it wrote #{written(trace)}") if written(trace)
            marks = Marks.new(@started, @bundle)
            trace.paths.each { |path, kinds| marks.add(path.b, kinds) unless path == lock }
            marks.prove_times(@path)
            to_bytes(facts, marks)
          end

          # Opened for writing by each install, which does not change it.
          def lock = "#{@store}/locks/store.lock"

          def to_bytes(facts, marks)
            texts = Texts.new
            ignored = texts.add(IGNORED.join("\n"))
            body = marks.to_bytes(texts)
            numbers = [marks.folders, marks.count, texts.size, facts["total"], facts["in_folders"], Process.euid,
                       Process.egid, ignored]
            mounts = marks.whole_seconds? ? hash(File.binread(MOUNTS)) : ""
            header = [MAGIC, *numbers, hash(environment), hash(File.binread(BOOT_ID)), mounts].pack("a8L8a16a16a16")
            header << body << texts.to_s
          end

          def hash(bytes) = [Native.content_hash(nil, bytes)].pack("H*")

          def environment
            counted = @env.to_h.reject { |name, _| IGNORED.any? { |word| File.fnmatch(word, name) } }
            counted.map { |pair| "#{pair.map(&:b).join("=")}\0" }.sort.join
          end

          def refuse(reason) = raise(Refused, reason)

          # A Trace whose value is the output.
          def trace
            Tracer.trace do |tracer|
              words = tracer.command(Util::Ruby.path, "--disable-gems", @launcher, "install", "--json",
                                     *(["--gemfile", @gemfile] if @gemfile))
              env = tracer.environment({ MARK => "1" }, @env)
              output = IO.popen([env, *words, { err: %i[child out], **tracer.options }], &:read)
              refuse("the install failed") unless $?.success? # -- English is not loaded
              output
            end
          rescue Tracer::Native::Error => e
            refuse(e.message)
          end

          # The facts of the last event, if there was nothing but that to report.
          def facts(output)
            require "json"
            plan, done, *more = output.lines.map { |line| JSON.parse(line) }
            refuse("it had more to report") unless more.empty? && done && done["noop"]
            total = done["total"]
            refuse("it had more to plan") unless plan == { "event" => "plan", "total" => total, "in_place" => total,
                                                           "fetch" => 0 }
            odd = done.except(*FREE).find { |_, value| !DONE.include?(value) }
            refuse("it had #{odd.join(" ")}") if odd
            done
          rescue JSON::ParserError
            refuse("its output is no JSON")
          end

          # A path that the install wrote, other than the lock of the store.
          def written(trace)
            trace.paths.find { |path, kinds| kinds.intersect?(%i[written connected]) && path != lock }&.first
          end
        end
      end
    end
  end
end
