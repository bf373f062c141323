# frozen_string_literal: true

require_relative "native"
require_relative "util"
require "spate/native/tracer" # not loaded on first use, because another thread could then use a half-loaded library
require_relative "tracer/trace"

module Spate
  # Traces what a command and its descendants read: all paths that they accessed, whether these exist or not, and the
  # environment variables that they read. See docs/adr/0024-trace-builds-at-the-system-calls.md.
  #
  #     traced = Spate::Tracer.trace(ignore: [tree]) do |tracer|
  #       system(tracer.environment, *tracer.command("make"), **tracer.options)
  #     end
  #     traced.paths # => [["/usr/bin/make", [:run]], ["/usr/include/zlib.h", [:read]], ...]
  #
  # A Ruby process that loads irrelevant files first is started without #command, and then calls Tracer.enter.
  class Tracer
    autoload :ReadOnly, "#{__dir__}/tracer/read_only.rb"

    # Environment variables: the socket through which a child enters the tracer, and the address of the hooks' table.
    SOCKET = "SPATE_TRACER_SOCKET"
    TABLE = "SPATE_TRACER"
    # The variable with the folder of a project. A file of its packages is copied before a program writes to it.
    PART = "SPATE_TRACER_PART"
    PRELOAD = "LD_PRELOAD"
    # AddressSanitizer aborts a program if another library was loaded first. LATE disables this check.
    SANITIZER = "ASAN_OPTIONS"
    LATE = "verify_asan_link_order=0"
    # Prevents libuv from opening files through io_uring, which bypasses the hooks. Some versions use it by default.
    NO_RING = { "UV_USE_IO_URING" => "0" }.freeze
    # The folder in which programs look up the paths of their open files.
    NAMES = "/proc/self/fd"
    LAUNCH = File.expand_path("tracer/launch.rb", __dir__)
    # Options for a Ruby process that only executes another program.
    WITHOUT_LIBRARIES = ["--disable=gems,did_you_mean,error_highlight,rubyopt"].freeze
    # The time in seconds to wait for remaining processes before the trace reports "still running".
    GRACE = 2
    TRUNCATED_TEXT = ["!a text that was removed was kept in half", %i[trouble]].freeze

    class << self
      # true, or the reason (String) why tracing is not possible on this machine.
      def available?
        @available ||= Native::Tracer.obstacle || true
      end

      # Yields a Tracer. The block starts the command with it and waits for the command. Returns a Trace with the
      # block's value. ignore: absolute paths of files and folders that are not traced. hooks: false does not preload
      # the hooks and traces only in the kernel, which is slower. read_only: the command cannot change files;
      # Trace#written lists those that it tried to change. Raises Native::Tracer::Error.
      def trace(ignore: [], grace: GRACE, **options)
        tracer = new(ignore, **options)
        value = yield tracer
        tracer.finish(grace, value)
      ensure
        tracer&.close
      end

      # Called in the child, which is traced from then on. Raises Native::Tracer::Error, or KeyError if the parent does
      # not trace.
      def enter(env = ENV)
        Native::Tracer.enter(Integer(env.fetch(SOCKET), 10))
      ensure
        env.delete(SOCKET)
      end

      # The path of the library to preload, or nil if LD_PRELOAD cannot contain this path.
      def hooks
        _, path = $LOAD_PATH.resolve_feature_path("spate/native/tracer_hooks")
        path unless path.nil? || path.match?(/[\s:$]/)
      end

      # An environment for a command that may write to files of a project's packages. The hooks give such a file a
      # separate inode before the write, so that other projects that share the file are not affected. Works without a
      # tracer, but not for programs without libc. Returns nil if nothing can be preloaded. environment: the complete
      # environment of the command. folder: path of the project, without links.
      def copy_on_write_environment(environment, folder)
        return unless hooks && Native::Tracer.here? && File.directory?(NAMES)

        preload(environment, environment).merge(NO_RING, PART => folder)
      end

      # Adds the hooks to changes of an environment, so that they are preloaded before other libraries. env: the
      # environment that is changed.
      def preload(changes, env)
        preloaded, sanitizer = [PRELOAD, SANITIZER].map { |name| changes.fetch(name) { env[name] } }
        changes.merge(PRELOAD => [hooks, *preloaded&.split(":")].compact.uniq.join(":"),
                      SANITIZER => [sanitizer, LATE].compact.uniq.join(":"))
      end

      # The path of the native extension, for a child without a load path.
      def binding_path = $LOAD_PATH.resolve_feature_path("spate/native/tracer").last
    end

    def initialize(ignore, hooks: true, slots: nil, bytes: nil, read_only: false)
      @hooks = self.class.hooks if hooks
      @native = Native::Tracer.new([*ignore, *@hooks].map { |path| File.expand_path(path).b }, slots, bytes, read_only)
      @socket = @native.socket
    end

    # The file descriptor of the child's end of the socket.
    attr_reader :socket

    # Adds the variables that the child needs to changes of the environment, for Process.spawn.
    def environment(changes = {}, env = ENV)
      changes = changes.merge(SOCKET => @socket.to_s)
      @hooks ? self.class.preload(changes, env).merge(TABLE => @native.address) : changes
    end

    # The options for Process.spawn that the child needs.
    def options = { @socket => @socket }

    # Arguments for Process.spawn that run a command traced from its start.
    def command(*words) = [Util::Ruby.path, *WITHOUT_LIBRARIES, LAUNCH, self.class.binding_path, *words]

    # The paths written so far, while the command is running.
    def written = @native.trace.filter_map { |text, kinds| text if kinds.include?(:written) }

    # Returns the Trace. Waits for at most `grace` seconds for running processes.
    def finish(grace, value)
      @native.hang_up
      @native.wait((grace * 1000).to_i)
      removed, rest = texts
      trace = @native.trace
      trace << TRUNCATED_TEXT unless rest.empty?
      Trace.new(trace, asked: @native.asked, value: value, removed: removed)
    end

    def close = @native.close

    private

    # Returns [[path, bytes]] of files that were read or run and then removed, and an incomplete rest.
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
