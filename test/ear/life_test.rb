# frozen_string_literal: true

require_relative "ear_case"
require "timeout"

module Spate
  # Start, end, and many processes at once.
  class EarLifeTest < EarCase
    LIB = File.expand_path("../../lib", __dir__)

    def test_ruby_enters_by_itself
      write("before", "")
      write("after", "")
      heard = heard_ruby('File.read("before"); ENV["BEFORE"]; Spate::Ear.enter; File.read("after"); ' \
                         'ENV["AFTER"]; `true`')
      assert_nil kinds(heard, "before")
      assert_includes kinds(heard, "after"), :read
      assert_includes heard.names, "AFTER"
      refute_includes heard.names, "BEFORE"
      assert_includes heard.paths.map(&:first), "/usr/bin/true"
      assert_empty heard.trouble
    end

    def test_threads_that_run_already
      write("after", "")
      heard = heard_ruby('q = Queue.new; t = Thread.new { q.pop; File.read("after") }; Spate::Ear.enter; ' \
                         "q << 1; t.join", hooks: false)
      assert_includes kinds(heard, "after"), :read
    end

    def test_child_that_never_starts_the_ear
      assert_equal ["never began"], heard_ruby("1").trouble
      assert_equal ["never began"], Ear.hear { 1 }.trouble
      assert_empty hear("spate-no-such-program").trouble
    end

    def test_environments_that_are_cleared
      write("a", "")
      heard = hear("env", "-i", "cat", "a")
      assert_equal [:read], kinds(heard, "a")
      assert_equal %w[cat], (heard.unhooked.map { |path| File.basename(path) })
    end

    def test_recorded_names_of_environment_variables_by_program
      write("script", "#!/bin/sh\n#{static_deeds} open a\n", mode: 0o755)
      heard = hear("./script")
      assert_equal [static_deeds], heard.unhooked
      assert_equal [File.realpath("/bin/sh")], heard.hooked
      assert_equal heard.paths.map(&:first), heard.paths.map(&:first).grep(%r{\A/})
    end

    def test_a_thousand_processes
      heard = hear("sh", "-c", "i=0; while [ $i -lt 1000 ]; do (sleep 2; test -e none$i) & i=$((i+1)); done; wait")
      1000.times { |i| assert_equal [:absent], kinds(heard, "none#{i}") }
      assert_empty heard.trouble
    end

    def test_a_thousand_programs_at_once
      write("a", "")
      heard = hear("sh", "-c", "i=0; while [ $i -lt 500 ]; do #{static_deeds} sleep 500 open a stat n$i & " \
                               "i=$((i+1)); done; wait")
      500.times { |i| assert_equal [:absent], kinds(heard, "n#{i}") }
    end

    def test_a_child_that_is_killed
      heard = deeds("open", "none", "die", "x")
      assert_equal 9, heard.value.termsig
      assert_equal [:absent], kinds(heard, "none")
      assert_empty heard.trouble
    end

    # A process that a build leaves running still gets answers, and the result reports it.
    def test_process_that_keeps_running
      write("later", "text")
      heard = hear("sh", "-c", "setsid sh -c 'sleep 1; cat later > copy' >/dev/null 2>&1 &", grace: 0.1)
      assert_equal ["still running"], heard.trouble
      Timeout.timeout(60) { sleep 0.05 until File.size?("#{folder}/copy") }
    end

    # The kernel answers in place of a dead listener.
    def test_a_parent_that_is_killed
      shell = '*ear.command("sh", "-c", "echo $$ > pid; while :; do test -e x; done")'
      ruby = 'RbConfig.ruby, "-rspate/ear", "-e", ' \
             '"Spate::Ear.enter; File.write(%q(pid), $$); loop { File.exist?(%q(x)) }"'
      [[true, shell], [false, shell], [false, ruby]].each do |hooks, command|
        write("parent.rb", <<~RUBY)
          require "spate/ear"
          Spate::Ear.hear(hooks: #{hooks}) do |ear|
            pid = Process.spawn(ear.environment, #{command}, **ear.options)
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

    def test_nested_ear_is_refused
      heard = hear(RbConfig.ruby, "-I#{LIB}", "-e", 'require "spate/ear"; puts Spate::Ear.available?')
      assert_equal "seccomp user notification: another one listens\n", @output
      assert_includes heard.trouble, "another listener"
    end

    def test_forbidden_seccomp_is_reported
      forbid = EarCase.program("forbid")
      script = 'require "spate/ear"; puts Spate::Ear.available?; begin; Spate::Ear.hear { |e| system(e.environment, ' \
               '*e.command("true"), **e.options) }.trouble.each { |reason| puts reason }; end'
      output, = Open3.capture2(forbid, "seccomp", RbConfig.ruby, "-I#{LIB}", "-e", script, err: File::NULL)
      assert_equal "seccomp user notification: Operation not permitted\nnever began\n", output
    end

    def test_two_ears_at_once
      write("a", "")
      write("b", "")
      first, second = %w[a b].map { |name| Thread.new { hear("sh", "-c", "sleep 0.2; cat #{name}") } }.map(&:value)
      assert_equal [[:read], nil], [kinds(first, "a"), kinds(first, "b")]
      assert_equal [nil, [:read]], [kinds(second, "a"), kinds(second, "b")]
    end

    def test_no_file_descriptor_is_left_open
      hear("true")
      before = Dir.children("/proc/self/fd").size
      10.times { hear("true") }
      assert_equal before, Dir.children("/proc/self/fd").size
    end

    def test_texts_that_were_read_and_removed
      each_text = "echo one > a; cat a; rm a; echo two > b.txt; rm b.txt; echo 3 > c.c; cat c.c; rm c.c; " \
                  "echo four > d; cat d; echo 5 > e; mv e d; mkdir f; rmdir f; touch g; cat g; rm g; " \
                  "echo 6 > h.i; cat h.i; rm h.i; echo 7 > i.O; cat i.O; rm i.O"
      [{}, { hooks: false }].each do |way|
        heard = hear("sh", "-c", each_text, **way)
        removed = heard.removed.to_h.transform_keys { |path| File.basename(path) }
        assert_equal({ "a" => "one\n", "d" => "four\n", "h.i" => "6\n" }, removed)
        FileUtils.rm_f("#{folder}/d")
      end
    end

    # No file may become longer than the first text and half of the second.
    def test_half_recorded_text
      script = <<~'RUBY'
        require "spate/ear"
        heard = Spate::Ear.hear do |ear|
          Process.setrlimit(:FSIZE, "#{Dir.pwd}/a".bytesize + 20, Process.getrlimit(:FSIZE).last)
          system(ear.environment, *ear.command("sh", "-c", "for i in a b; do echo 1234567 > $i; cat $i; rm $i; done"),
                 **ear.options, out: File::NULL)
        end
        p heard.removed.map { |path, text| [File.basename(path), text] }
        puts heard.trouble
      RUBY
      output, = Open3.capture2e(RbConfig.ruby, "-I#{LIB}", "-e", script, chdir: folder)
      assert_equal "[[\"a\", \"1234567\\n\"]]\nmore was read and removed than is kept: #{folder}/b\n" \
                   "a text that was removed was kept in half\n", output
    end

    private

    def heard_ruby(script, **more)
      Ear.hear(**more) do |ear|
        system(ear.environment, RbConfig.ruby, "-I#{LIB}", "-rspate/ear", "-e", "Spate::Native::Ear; #{script}",
               chdir: folder, **ear.options)
      end
    end

    # Kills parent.rb while its child keeps making calls; returns the child.
    def child_of_a_killed_parent
      pid = Process.spawn({ "RUBYLIB" => LIB }, RbConfig.ruby, "parent.rb", chdir: folder, %i[out err] => File::NULL)
      Timeout.timeout(60) { sleep 0.02 until File.size?("#{folder}/pid") }
      sleep 0.2
      Process.kill(:KILL, pid)
      Process.wait(pid)
      File.read("#{folder}/pid").to_i
    end

    # Whether the process uses the processor, as it does when its calls return.
    def goes_on?(pid)
      ticks = -> { File.read("/proc/#{pid}/stat").split[13..14].sum(&:to_i) }
      before = ticks.call
      sleep 0.3
      ticks.call > before + 5
    end
  end
end
