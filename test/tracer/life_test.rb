# frozen_string_literal: true

require_relative "tracer_case"
require "timeout"

module Spate
  # Start and end of a trace, and many processes at once.
  class TracerLifeTest < TracerCase
    LIB = File.expand_path("../../lib", __dir__)

    def test_ruby_enters_the_tracer_explicitly
      write("before", "")
      write("after", "")
      trace = traced_ruby('File.read("before"); ENV["BEFORE"]; Spate::Tracer.enter; File.read("after"); ' \
                         'ENV["AFTER"]; `true`')
      assert_nil kinds(trace, "before")
      assert_includes kinds(trace, "after"), :read
      assert_includes trace.names, "AFTER"
      refute_includes trace.names, "BEFORE"
      assert_includes trace.paths.map(&:first), "/usr/bin/true"
      assert_empty trace.trouble
    end

    def test_threads_that_run_already
      write("after", "")
      trace = traced_ruby('q = Queue.new; t = Thread.new { q.pop; File.read("after") }; Spate::Tracer.enter; ' \
                         "q << 1; t.join", hooks: false)
      assert_includes kinds(trace, "after"), :read
    end

    def test_child_that_never_starts_the_tracer
      assert_equal ["never began"], traced_ruby("1").trouble
      assert_equal ["never began"], Tracer.trace { 1 }.trouble
      assert_empty traced("spate-no-such-program").trouble
    end

    def test_environments_that_are_cleared
      write("a", "")
      trace = traced("env", "-i", "cat", "a")
      assert_equal [:read], kinds(trace, "a")
      assert_equal %w[cat], (trace.unhooked.map { |path| File.basename(path) })
    end

    def test_recorded_names_of_environment_variables_by_program
      write("script", "#!/bin/sh\n#{static_deeds} open a\n", mode: 0o755)
      trace = traced("./script")
      assert_equal [static_deeds], trace.unhooked
      assert_equal [File.realpath("/bin/sh")], trace.hooked
      assert_equal trace.paths.map(&:first), trace.paths.map(&:first).grep(%r{\A/})
    end

    def test_a_thousand_processes
      trace = traced("sh", "-c", "i=0; while [ $i -lt 1000 ]; do (sleep 2; test -e none$i) & i=$((i+1)); done; wait")
      1000.times { |i| assert_equal [:absent], kinds(trace, "none#{i}") }
      assert_empty trace.trouble
    end

    def test_a_thousand_programs_at_once
      write("a", "")
      trace = traced("sh", "-c", "i=0; while [ $i -lt 500 ]; do #{static_deeds} sleep 500 open a stat n$i & " \
                               "i=$((i+1)); done; wait")
      500.times { |i| assert_equal [:absent], kinds(trace, "n#{i}") }
    end

    def test_a_child_that_is_killed
      trace = deeds("open", "none", "die", "x")
      assert_equal 9, trace.value.termsig
      assert_equal [:absent], kinds(trace, "none")
      assert_empty trace.trouble
    end

    # The calls of a process that a build leaves running still return, and the result reports that process.
    def test_process_that_keeps_running
      write("later", "text")
      trace = traced("sh", "-c", "setsid sh -c 'sleep 1; cat later > copy' >/dev/null 2>&1 &", grace: 0.1)
      assert_equal ["still running"], trace.trouble
      Timeout.timeout(60) { sleep 0.05 until File.size?("#{folder}/copy") }
    end

    # If the listener is dead, the kernel itself responds.
    def test_a_parent_that_is_killed
      shell = '*tracer.command("sh", "-c", "echo $$ > pid; while :; do test -e x; done")'
      ruby = 'RbConfig.ruby, "-rspate/tracer", "-e", ' \
             '"Spate::Tracer.enter; File.write(%q(pid), $$); loop { File.exist?(%q(x)) }"'
      [[true, shell], [false, shell], [false, ruby]].each do |hooks, command|
        write("parent.rb", <<~RUBY)
          require "spate/tracer"
          Spate::Tracer.trace(hooks: #{hooks}) do |tracer|
            pid = Process.spawn(tracer.environment, #{command}, **tracer.options)
            sleep 0.01 until File.size?("pid")
            fork { sleep 6 } # inherits all file descriptors
            Process.wait(pid)
          end
        RUBY
        child = child_of_a_killed_parent
        Timeout.timeout(60) { sleep 0.02 until goes_on?(child) }
      ensure
        Process.kill(:KILL, child) if child
        FileUtils.rm_f("#{folder}/pid")
      end
    end

    def test_nested_tracer_is_refused
      trace = traced(RbConfig.ruby, "-I#{LIB}", "-e", 'require "spate/tracer"; puts Spate::Tracer.available?')
      assert_equal "seccomp user notification: another listener exists\n", @output
      assert_includes trace.trouble, "another seccomp listener"
    end

    def test_forbidden_seccomp_is_reported
      forbid = TracerCase.program("forbid")
      script = 'require "spate/tracer"; puts Spate::Tracer.available?; begin; ' \
               "Spate::Tracer.trace { |e| system(e.environment, " \
               '*e.command("true"), **e.options) }.trouble.each { |reason| puts reason }; end'
      output, = Open3.capture2(forbid, "seccomp", RbConfig.ruby, "-I#{LIB}", "-e", script, err: File::NULL)
      assert_equal "seccomp user notification: Operation not permitted\nnever began\n", output
    end

    def test_two_tracers_at_once
      write("a", "")
      write("b", "")
      first, second = %w[a b].map { |name| Thread.new { traced("sh", "-c", "sleep 0.2; cat #{name}") } }.map(&:value)
      assert_equal [[:read], nil], [kinds(first, "a"), kinds(first, "b")]
      assert_equal [nil, [:read]], [kinds(second, "a"), kinds(second, "b")]
    end

    def test_no_file_descriptor_is_left_open
      traced("true")
      before = Dir.children("/proc/self/fd").size
      10.times { traced("true") }
      assert_equal before, Dir.children("/proc/self/fd").size
    end

    def test_texts_that_were_read_and_removed
      each_text = "echo one > a; cat a; rm a; echo two > b.txt; rm b.txt; echo 3 > c.c; cat c.c; rm c.c; " \
                  "echo four > d; cat d; echo 5 > e; mv e d; mkdir f; rmdir f; touch g; cat g; rm g; " \
                  "echo 6 > h.i; cat h.i; rm h.i; echo 7 > i.O; cat i.O; rm i.O"
      [{}, { hooks: false }].each do |way|
        trace = traced("sh", "-c", each_text, **way)
        removed = trace.removed.to_h.transform_keys { |path| File.basename(path) }
        assert_equal({ "a" => "one\n", "d" => "four\n", "h.i" => "6\n" }, removed)
        FileUtils.rm_f("#{folder}/d")
      end
    end

    # RLIMIT_FSIZE cuts off the tracer's own record file halfway through the second text, which must then not be
    # recorded.
    def test_half_recorded_text
      script = <<~'RUBY'
        require "spate/tracer"
        trace = Spate::Tracer.trace do |tracer|
          Process.setrlimit(:FSIZE, "#{Dir.pwd}/a".bytesize + 20, Process.getrlimit(:FSIZE).last)
          system(tracer.environment, *tracer.command("sh", "-c", "for i in a b; do echo 1234567 > $i; cat $i; rm $i; done"),
                 **tracer.options, out: File::NULL)
        end
        p trace.removed.map { |path, text| [File.basename(path), text] }
        puts trace.trouble
      RUBY
      output, = Open3.capture2e(RbConfig.ruby, "-I#{LIB}", "-e", script, chdir: folder)
      assert_equal "[[\"a\", \"1234567\\n\"]]\ntoo much text was read and removed: #{folder}/b\n" \
                   "a text that was removed was kept in half\n", output
    end

    private

    def traced_ruby(script, **more)
      Tracer.trace(**more) do |tracer|
        system(tracer.environment, RbConfig.ruby, "-I#{LIB}", "-rspate/tracer", "-e",
               "Spate::Native::Tracer; #{script}",
               chdir: folder, **tracer.options)
      end
    end

    # Kills parent.rb while its child makes calls. Returns the child's process ID.
    def child_of_a_killed_parent
      pid = Process.spawn({ "RUBYLIB" => LIB }, RbConfig.ruby, "parent.rb", chdir: folder, %i[out err] => File::NULL)
      Timeout.timeout(60) { sleep 0.02 until File.size?("#{folder}/pid") }
      sleep 0.2
      Process.kill(:KILL, pid)
      Process.wait(pid)
      File.read("#{folder}/pid").to_i
    end

    # Whether the process uses processor time, which it does if its calls return.
    def goes_on?(pid)
      ticks = -> { File.read("/proc/#{pid}/stat").split[13..14].sum(&:to_i) }
      before = ticks.call
      sleep 0.3
      ticks.call > before + 5
    end
  end
end
