# frozen_string_literal: true

module Spate
  module CLI
    class InPlace
      # Repeats a command under the tracer, and writes a record of its output and the paths it accessed
      # (core/front/in_place_record.h).
      class Recorder
        # The maximum age of records (seconds), and the maximum size of all records (bytes).
        OLD = 30 * 86_400
        ROOM = 256 << 20
        # Seconds to wait before each attempt, so that changes before the trace are older than a tick of the file
        # system's clock. An attempt fails if a file changes, for example when another process writes Spate's compile
        # cache.
        SETTLE = [0.1, 0.5, 2].freeze
        # The time limit for all attempts (seconds).
        LIMIT = 120

        # The command cannot be recorded. The message is the reason.
        class Refused < StandardError; end
        # A temporary failure. The next attempt may succeed.
        class Passing < Refused; end

        # launcher: path of `spate-ruby`. path: path of the record. folders: see InPlace.start. words: the command line.
        def initialize(launcher, path, folders, words, env)
          @launcher = launcher
          @path = path
          @folders = folders
          @words = words
          @env = env
          @directory = Dir.pwd
          @store = File.expand_path("../..", path)
        end

        # Writes the record, or the reason of the failure. Does nothing while another process is recording.
        def call
          ::Spate::Store::Lock.hold("#{@store}/locks/in-place.lock", shared: false, wait: false) { attempt }
        rescue ::Spate::Store::Locked
          nil # the next command tries again
        rescue Refused, SystemCallError, ::Spate::Native::Tracer::Error => e
          keep(e.message.byteslice(0, Record::HEADER - 1))
          InPlace.shorten_pause(@path) if e.is_a?(Passing)
        end

        # Kills this process and the repeated command after the time limit. The command may be waiting for a lock or an
        # unresponsive file system.
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

        # The folders above the paths that the command accesses, with device and inode, to detect a folder that is
        # replaced during the trace. The files of the new folder may have old times, so their times do not show the
        # change.
        def places
          [@directory, *@folders, @store].flat_map { |path| above(path) }.uniq.map do |path|
            stat = File.stat(path)
            [path, stat.dev, stat.ino]
          end
        end

        def above(path) = path == "/" ? [] : [path, *above(File.dirname(path))]

        # Writes the file. Also removes the oldest records, whose projects may have been deleted. A record that is still
        # needed is written again by a later command.
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

        # [[path, stat]] of the other records, newest first.
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

        # Lock files. Each command opens them for writing but does not change them.
        def locks = @locks ||= ["#{@store}/locks/store.lock"]

        def refuse(reason) = raise(Refused, reason)

        # Returns a Trace whose value is [output on stdout, output on stderr]. The trace is read-only, so that the
        # repeated command cannot change anything.
        def trace
          Tracer.trace(read_only: true) { |tracer| streams { |out, err| repeat(tracer, out, err) } }
        end

        # Colours are forced. If the output has no colours nevertheless, it is the same on every terminal.
        def repeat(tracer, out, err)
          colours = "--color" unless @words.intersect?(%w[--color --no-color])
          words = tracer.command(Util::Ruby.path, "--disable-gems", @launcher, *@words, *colours)
          env = @env.to_h.merge(tracer.environment({ MARK => "1" }, @env))
          pid = Process.spawn(env, *words, in: File::NULL, out: out, err: err, **tracer.options)
          status = Process.wait2(pid).last
          raise Passing, "the command failed: #{status}" unless status.success?
        end

        # Yields two unlinked temporary files, and returns their content.
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

        # A path that the command wrote, except the locks.
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

        # ignored: names of variables to ignore, or prefixes followed by "*".
        def initialize(marks, env, ignored)
          @marks = marks
          @env = env
          @ignored = ignored
        end

        # output: see Template. stream: the file descriptor to print it on.
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

        # Must match add_rights in core/front/in_place.c.
        def rights = File.readlines(STATUS, chomp: true).grep(/\A(?:Uid|Gid|Groups|CapEff|NoNewPrivs|Seccomp):/).join.b
      end

      # The output of a command, with placeholders for values that differ in each run: SPATE_OUTPUT_SECONDS and others.
      class Template
        FACTS = [[/(?<=\()(?:[\d.]+ s|\d+:\d\d min)(?=\)$)/, "\x01"], [/(?<="seconds":)[\d.e-]+/, "\x02"],
                 [/(?<="peak_memory":)\d+/, "\x03"]].freeze
        # The maximum size in bytes. SPATE_OUTPUT_MAX is larger, because the values are longer than the placeholders.
        MAX = 32 << 10

        # The file descriptor of the output: 1 or 2.
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
