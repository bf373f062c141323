# frozen_string_literal: true

require "test_helper"
require "spate/tracer"
require "open3"
require "set"
require "socket"

module Spate
  # Runs commands and small programs under the real kernel, and records their calls.
  class TracerCase < Minitest::Test
    PROGRAMS = File.expand_path("programs", __dir__)
    BUILT = Dir.mktmpdir("spate-tracer-")
    Minitest.after_run { FileUtils.rm_rf(BUILT) }

    # Compiles a program once per process. Returns its path.
    def self.program(name, *flags)
      path = File.join(BUILT, [name, *flags].join)
      return path if File.exist?(path)

      system("cc", "-O1", "-w", *flags, "-o", path, File.join(PROGRAMS, "#{name}.c")) or raise "cc: #{name}"
      path
    end

    def setup
      super
      skip Tracer.available? unless Tracer.available? == true
    end

    private

    # Runs the command in `folder` and waits. Returns the trace; @output contains the command's output.
    def traced(*command, env: {}, chdir: folder, options: {}, **more)
      Tracer.trace(**more) do |tracer|
        read, write = IO.pipe
        pid = Process.spawn(tracer.environment(env), *tracer.command(*command),
                            chdir: chdir, out: write, err: write, **options, **tracer.options)
        write.close
        @output = read.read
        Process.wait2(pid).last
      ensure
        read.close
      end
    end

    def deeds(*words, static: false, **more)
      traced(static ? static_deeds : dynamic_deeds, *words.flatten, **more)
    end

    def dynamic_deeds = TracerCase.program("deeds", "-no-pie")
    def static_deeds = TracerCase.program("deeds", "-static", "-no-pie")

    # Yields options for each way to trace: with hooks, with the kernel only, and a static program, which ignores
    # LD_PRELOAD.
    def each_way(&block) = [{}, { hooks: false }, { static: true }].each(&block)

    def kinds(trace, path) = trace.to_h[File.expand_path(path, folder)]
  end
end
