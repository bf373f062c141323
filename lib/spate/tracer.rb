# frozen_string_literal: true

require_relative "native"
require_relative "util"
require "spate/native/tracer" # loaded here instead of on first use: another thread could find a half-loaded library
require_relative "tracer/trace"

module Spate
  # Traces what a command and its descendants read from this machine: every path that they found or missed, and the
  # variables that they read. docs/adr/0024-trace-builds-at-the-system-calls.md explains how.
  #
  #     traced = Spate::Tracer.trace(ignore: [tree]) do |tracer|
  #       system(tracer.environment, *tracer.command("make"), **tracer.options)
  #     end
  #     traced.paths # => [["/usr/bin/make", [:run]], ["/usr/include/zlib.h", [:read]], ...]
  #
  # A Ruby process that first loads irrelevant files is started without #command, and calls Tracer.enter itself.
  class Tracer
    autoload :ReadOnly, "#{__dir__}/tracer/read_only.rb"

    # Variables: the socket through which a child enters the tracer, and the address at which the hooks find the table.
    SOCKET = "SPATE_TRACER_SOCKET"
    TABLE = "SPATE_TRACER"
    # The variable with the folder of a project whose packages' files are copied before a write.
    PART = "SPATE_TRACER_PART"
    PRELOAD = "LD_PRELOAD"
    # AddressSanitizer ends a program if another library was loaded before it.
    SANITIZER = "ASAN_OPTIONS"
    LATE = "verify_asan_link_order=0"
    # libuv opens files through io_uring if allowed; some versions do by default.
    NO_RING = { "UV_USE_IO_URING" => "0" }.freeze
    # The folder in which a program looks up the name of a file that it has open.
    NAMES = "/proc/self/fd"
    LAUNCH = File.expand_path("tracer/launch.rb", __dir__)
    # Options of a Ruby that only executes another program.
    WITHOUT_LIBRARIES = ["--disable=gems,did_you_mean,error_highlight,rubyopt"].freeze
    # Seconds to wait for remaining processes before the result reports "still running".
    GRACE = 2
    HALF = ["!a text that was removed was kept in half", %i[trouble]].freeze

    class << self
      # true, or the reason (String) why nothing can be traced here.
      def available?
        @available ||= Native::Tracer.obstacle || true
      end

      # ignore: absolute paths that are not traced, including everything below them. Yields a Tracer, with which to
      # start the command and wait for it; returns a Trace with the block's value. hooks: false traces everything by the
      # kernel alone, which is slow. read_only: the command cannot change files; Trace#written has those that it tried
      # to change. Raises Native::Tracer::Error.
      def trace(ignore: [], grace: GRACE, **options)
        tracer = new(ignore, **options)
        value = yield tracer
        tracer.finish(grace, value)
      ensure
        tracer&.close
      end

      # Called in the child: from here on the child is traced until it ends. Raises Native::Tracer::Error, or KeyError
      # without a tracing parent.
      def enter(env = ENV)
        Native::Tracer.enter(Integer(env.fetch(SOCKET), 10))
      ensure
        env.delete(SOCKET)
      end

      # The preloaded library; nil if its path cannot be written into LD_PRELOAD.
      def hooks
        _, path = $LOAD_PATH.resolve_feature_path("spate/native/tracer_hooks")
        path unless path.nil? || path.match?(/[\s:$]/)
      end

      # An environment in which programs give a file of a project's packages a separate inode before they write to it,
      # so that other projects that share the file are not changed. Also works without a tracer, and changes nothing
      # else. nil if nothing can be preloaded. Not for programs without libc. folder: of the project, without links in
      # its path. environment: the complete environment of the command.
      def parting(environment, folder)
        return unless hooks && Native::Tracer.here? && File.directory?(NAMES)

        preload(environment, environment).merge(NO_RING, PART => folder)
      end

      # changes, with the hooks preloaded before other libraries. env: the environment to which changes belong.
      def preload(changes, env)
        preloaded, sanitizer = [PRELOAD, SANITIZER].map { |name| changes.fetch(name) { env[name] } }
        changes.merge(PRELOAD => [hooks, *preloaded&.split(":")].compact.uniq.join(":"),
                      SANITIZER => [sanitizer, LATE].compact.uniq.join(":"))
      end

      # The path of the binding, for a child without a load path.
      def binding_path = $LOAD_PATH.resolve_feature_path("spate/native/tracer").last
    end

    def initialize(ignore, hooks: true, slots: nil, bytes: nil, read_only: false)
      @hooks = self.class.hooks if hooks
      @native = Native::Tracer.new([*ignore, *@hooks].map { |path| File.expand_path(path).b }, slots, bytes, read_only)
      @socket = @native.socket
    end

    # The child's end of the socket, a file descriptor.
    attr_reader :socket

    # Changes of the environment in the form of Process.spawn, including those that the child needs.
    def environment(changes = {}, env = ENV)
      changes = changes.merge(SOCKET => @socket.to_s)
      @hooks ? self.class.preload(changes, env).merge(TABLE => @native.address) : changes
    end

    # Options for Process.spawn, to be merged with others.
    def options = { @socket => @socket }

    # The given command, traced from its first instruction.
    def command(*words) = [Util::Ruby.path, *WITHOUT_LIBRARIES, LAUNCH, self.class.binding_path, *words]

    # Paths written so far, while the command still runs.
    def written = @native.trace.filter_map { |text, kinds| text if kinds.include?(:written) }

    # Waits at most `grace` seconds for processes that still run.
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

    # [[path, bytes]] of texts that were read or run and then removed, and the incomplete rest.
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
