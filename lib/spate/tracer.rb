# frozen_string_literal: true

require_relative "native"
require_relative "util"
require "spate/native/tracer" # here, not when it is first named: two threads would find half of it
require_relative "tracer/trace"

module Spate
  # Traces what a command, and everything it starts, reads from this machine: every path that it found or missed, and
  # the variables that it asked for. docs/adr/0024-trace-builds-at-the-system-calls.md says how.
  #
  #     traced = Spate::Tracer.trace(ignore: [tree]) do |tracer|
  #       system(tracer.environment, *tracer.command("make"), **tracer.options)
  #     end
  #     traced.paths # => [["/usr/bin/make", [:run]], ["/usr/include/zlib.h", [:read]], ...]
  #
  # A Ruby process that first loads what does not count is started without #command, and calls Tracer.enter itself.
  class Tracer
    autoload :ReadOnly, "#{__dir__}/tracer/read_only.rb"

    # Variables: the socket through which a child enters; where the hooks find the table.
    SOCKET = "SPATE_TRACER_SOCKET"
    TABLE = "SPATE_TRACER"
    # The folder of a project whose packages' files are parted.
    PART = "SPATE_TRACER_PART"
    PRELOAD = "LD_PRELOAD"
    # AddressSanitizer ends a program into which anything else was loaded first.
    SANITIZER = "ASAN_OPTIONS"
    LATE = "verify_asan_link_order=0"
    # Node's library opens files through a ring of the kernel's where this lets it; some versions do by default.
    NO_RING = { "UV_USE_IO_URING" => "0" }.freeze
    # Where a program learns the name of a file that it has open.
    NAMES = "/proc/self/fd"
    LAUNCH = File.expand_path("tracer/launch.rb", __dir__)
    # Options of a Ruby that only becomes another program.
    WITHOUT_LIBRARIES = ["--disable=gems,did_you_mean,error_highlight,rubyopt"].freeze
    # Seconds for processes left behind to end, before the result says "still running".
    GRACE = 2
    HALF = ["!a text that was removed was kept in half", %i[trouble]].freeze

    class << self
      # true, or why nothing can be traced here (String).
      def available?
        @available ||= Native::Tracer.obstacle || true
      end

      # ignore: absolute paths; they and all below them are not traced. Yields an Tracer, to start the command with and
      # wait for it; returns Trace, with the block's value. hooks: false traces everything by the kernel alone, and
      # slowly. read_only: the command cannot change a file; Trace#written has those that it tried to change. Raises
      # Native::Tracer::Error.
      def trace(ignore: [], grace: GRACE, **options)
        tracer = new(ignore, **options)
        value = yield tracer
        tracer.finish(grace, value)
      ensure
        tracer&.close
      end

      # In the child: from here on it is traced until it ends. Raises Native::Tracer::Error, or KeyError without a
      # tracing parent.
      def enter(env = ENV)
        Native::Tracer.enter(Integer(env.fetch(SOCKET), 10))
      ensure
        env.delete(SOCKET)
      end

      # The library that is preloaded; nil where its path cannot be written into LD_PRELOAD.
      def hooks
        _, path = $LOAD_PATH.resolve_feature_path("spate/native/tracer_hooks")
        path unless path.nil? || path.match?(/[\s:$]/)
      end

      # An environment in which programs give a file of a project's packages an inode of its own before they write into
      # it: other projects that share the file are not changed. Without a tracer, too; it changes nothing else. nil
      # where nothing can be preloaded. Not for programs without libc. folder: of the project, without links in its
      # path.
      # environment: all that the command gets.
      def parting(environment, folder)
        return unless hooks && Native::Tracer.here? && File.directory?(NAMES)

        preload(environment, environment).merge(NO_RING, PART => folder)
      end

      # environment, of which changes are a part, with the hooks before what else is preloaded.
      def preload(changes, env)
        preloaded, sanitizer = [PRELOAD, SANITIZER].map { |name| changes.fetch(name) { env[name] } }
        changes.merge(PRELOAD => [hooks, *preloaded&.split(":")].compact.uniq.join(":"),
                      SANITIZER => [sanitizer, LATE].compact.uniq.join(":"))
      end

      # The binding, for a child that has no load path.
      def binding_path = $LOAD_PATH.resolve_feature_path("spate/native/tracer").last
    end

    def initialize(ignore, hooks: true, slots: nil, bytes: nil, read_only: false)
      @hooks = self.class.hooks if hooks
      @native = Native::Tracer.new([*ignore, *@hooks].map { |path| File.expand_path(path).b }, slots, bytes, read_only)
      @socket = @native.socket
    end

    # The child's end, a file descriptor.
    attr_reader :socket

    # Changes of the environment as Process.spawn takes them, with what the child needs.
    def environment(changes = {}, env = ENV)
      changes = changes.merge(SOCKET => @socket.to_s)
      @hooks ? self.class.preload(changes, env).merge(TABLE => @native.address) : changes
    end

    # For Process.spawn, beside others.
    def options = { @socket => @socket }

    # The same command, traced from its first instruction.
    def command(*words) = [Util::Ruby.path, *WITHOUT_LIBRARIES, LAUNCH, self.class.binding_path, *words]

    # Paths that have been written so far, while it still runs.
    def written = @native.trace.filter_map { |text, kinds| text if kinds.include?(:written) }

    # Waits for what still runs, at most `grace` seconds.
    def finish(grace, value)
      @native.hang_up
      @native.wait((grace * 1000).to_i)
      removed, rest = texts
      trace = @native.trace
      trace << HALF unless rest.empty?
      Trace.new(trace, asked: @native.asked, value: value, removed: removed)
    end

    def close = @native.close

    private

    # [[path, bytes]] of texts that were read or run, and then removed; and an incomplete rest.
    def texts
      file = File.for_fd(@native.texts, autoclose: false)
      rest = file.pread(file.size, 0)
      texts = []
      while (path, text = rest.unpack("LL")).all? && rest.bytesize >= 8 + path + text
        texts << [rest.byteslice(8, path), rest.byteslice(8 + path, text)]
        rest = rest.byteslice(8 + path + text..)
      end
      [texts, rest]
    end
  end
end
