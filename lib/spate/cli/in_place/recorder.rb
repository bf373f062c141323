# frozen_string_literal: true

module Spate
  module CLI
    class InPlace
      # Repeats a command under the tracer, and writes what it looked at: see core/front/in_place_record.h.
      class Recorder
        # Seconds, and bytes of all records.
        OLD = 30 * 86_400
        ROOM = 256 << 20
        # Seconds before each attempt: every change before the trace is then older than the clock's tick. There is
        # another one after a change, such as by the process that writes Spate's own compile cache.
        SETTLE = [0.1, 0.5, 2].freeze
        # Seconds, for all.
        LIMIT = 120

        # The command cannot be recorded. The message has the reason.
        class Refused < StandardError; end
        # A reason that may be gone the next time.
        class Passing < Refused; end

        # launcher: `spate-ruby`. path: of the record. folders: see InPlace.start. words: of the command line.
        def initialize(launcher, path, folders, words, env)
          @launcher = launcher
          @path = path
          @folders = folders
          @words = words
          @env = env
          @directory = Dir.pwd
          @store = File.expand_path("../..", path)
        end

        # Writes the record, or the reason why there is none. Does nothing while another process records.
        def call
          ::Spate::Store::Lock.hold("#{@store}/locks/in-place.lock", shared: false, wait: false) { attempt }
        rescue ::Spate::Store::Locked
          nil # the next command tries again
        rescue Refused, SystemCallError, ::Spate::Native::Tracer::Error => e
          keep(e.message.byteslice(0, Record::HEADER - 1))
          InPlace.wait_less(@path) if e.is_a?(Passing)
        end

        # Ends this process and the repeated command, which may wait for a lock or a file system that does not answer.
        def limit(seconds = LIMIT)
          Thread.new do
            sleep seconds
            keep("it took more than #{seconds} s")
            Process.kill(:KILL, 0)
          end
        end

        private

        def attempt(settle = SETTLE)
          sleep settle.first
          @started = Inputs.start
          before = places
          bytes = record(trace)
          raise Passing, "a folder was moved" unless before == places && File.identical?(".", @directory)

          keep(bytes)
        rescue Passing
          raise if settle.one?

          attempt(settle.drop(1))
        end

        # Folders on the way to the paths that the command looks at. Files in a folder that takes the place of another
        # have old times, so the trace would be of one folder, and the marks of the other.
        def places
          [@directory, *@folders, @store].flat_map { |path| above(path) }.uniq.map do |path|
            stat = File.stat(path)
            [path, stat.dev, stat.ino]
          end
        end

        def above(path) = path == "/" ? [] : [path, *above(File.dirname(path))]

        # Removes the oldest others as well, since a project may be gone. One that is still used is written again.
        def keep(bytes)
          Util::Files.write(@path, bytes, permissions: 0o600)
          room = ROOM - bytes.bytesize
          others.each do |path, stat|
            room -= stat.size
            Util::Files.remove(path) if room.negative? || stat.mtime < Time.now - OLD
          end
        rescue SystemCallError
          nil # a full disk, or another process removed it
        end

        # [[path, stat]], the youngest first.
        def others
          folder = File.dirname(@path)
          paths = Dir.children(folder).map { |name| File.join(folder, name) } - [@path]
          paths.map { |path| [path, File.lstat(path)] }.sort_by { |_, stat| stat.mtime }.reverse
        end

        def record(trace)
          output = Template.new(*trace.value)
          refuse(trace.trouble.first) if trace.trouble.any?
          refuse("it wrote #{written(trace)}") if written(trace)
          marks = Marks.new(@started, @folders)
          trace.paths.each { |path, kinds| marks.add(path.b, kinds) unless locks.include?(path) }
          marks.prove_times(@path)
          Record.new(marks, @env, InPlace.ignored(trace)).to_s(output.text, output.stream)
        end

        # Opened for writing by each command, which does not change them.
        def locks = @locks ||= ["#{@store}/locks/store.lock"]

        def refuse(reason) = raise(Refused, reason)

        # A Trace whose value is the output: [to stdout, to stderr]. If there is something to do by now, the command
        # must not do it.
        def trace
          Tracer.trace(read_only: true) { |tracer| streams { |out, err| repeat(tracer, out, err) } }
        end

        # Colours are forced, so that an output without them is the same on every terminal.
        def repeat(tracer, out, err)
          colours = "--color" unless @words.intersect?(%w[--color --no-color])
          words = tracer.command(Util::Ruby.path, "--disable-gems", @launcher, *@words, *colours)
          env = @env.to_h.merge(tracer.environment({ MARK => "1" }, @env))
          pid = Process.spawn(env, *words, in: File::NULL, out: out, err: err, **tracer.options)
          status = Process.wait2(pid).last
          raise Passing, "the command failed: #{status}" unless status.success?
        end

        # Yields two files without names, and returns what was written to them.
        def streams
          files = Array.new(2) do
            temporary = Util::Files.beside(@path)
            File.open(temporary, "wb+", 0o600).tap { File.unlink(temporary) }
          end
          yield(*files)
          files.map { |file| file.tap(&:rewind).read }
        ensure
          files&.each(&:close)
        end

        # A path that the command wrote, other than the locks.
        def written(trace)
          trace.paths.find { |path, kinds| kinds.intersect?(%i[written connected]) && !locks.include?(path) }&.first
        end
      end

      # The bytes of a record: core/front/in_place_record.h.
      class Record
        MAGIC = "SPATEIP3"
        HEADER = 88
        BOOT_ID = "/proc/sys/kernel/random/boot_id"
        MOUNTS = "/proc/self/mountinfo"
        STATUS = "/proc/self/status"

        # ignored: names of variables that do not count, or beginnings with "*".
        def initialize(marks, env, ignored)
          @marks = marks
          @env = env
          @ignored = ignored
        end

        # output: see Template. stream: the descriptor for it.
        def to_s(output, stream)
          texts = Texts.new
          ignored = texts.add(@ignored.join("\n"))
          shown = texts.add(output)
          body = @marks.to_bytes(texts)
          numbers = [@marks.folders, @marks.count, texts.size, shown, stream, Process.euid, ignored]
          mounts = @marks.whole_seconds? ? hash(File.binread(MOUNTS)) : ""
          checked = [*numbers, hash(environment), hash(File.binread(BOOT_ID)), mounts].pack("L7a16a16a16")
          checked << body << texts.to_s
          MAGIC.b << [Native.crc32c(checked)].pack("L") << checked
        end

        private

        def hash(bytes) = [Native.content_hash(nil, bytes)].pack("H*")

        def environment
          counted = @env.to_h.reject { |name, _| @ignored.any? { |word| File.fnmatch(word, name) } }
          counted.map { |pair| "#{pair.map(&:b).join("=")}\0" }.sort.join + rights
        end

        # As add_rights in core/front/in_place.c.
        def rights = File.readlines(STATUS, chomp: true).grep(/\A(?:Uid|Gid|Groups|CapEff):/).join.b
      end

      # The output of a command, with placeholders for the facts of one run: SPATE_OUTPUT_SECONDS and others.
      class Template
        FACTS = [[/(?<=\()(?:[\d.]+ s|\d+:\d\d min)(?=\)$)/, "\x01"], [/(?<="seconds":)[\d.e-]+/, "\x02"],
                 [/(?<="peak_memory":)\d+/, "\x03"]].freeze
        # Bytes. Less than SPATE_OUTPUT_MAX, which has room for the facts.
        MAX = 32 << 10

        # The file descriptor.
        attr_reader :stream

        def initialize(out, err)
          raise Recorder::Refused, "it wrote to two streams" unless out.empty? || err.empty?

          @printed = out.empty? ? err : out
          @stream = out.empty? ? 2 : 1
          plain = @printed.size <= MAX && !@printed.match?(/[^\n\x20-\xFF]/n)
          raise Recorder::Refused, "its output has colours, or is too long" unless plain
        end

        def text = FACTS.reduce(@printed) { |text, (pattern, byte)| text.gsub(pattern, byte) }
      end
    end
  end
end
