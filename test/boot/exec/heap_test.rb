# frozen_string_literal: true

require "boot/exec_case"
require "spate/boot/entry"

module Spate
  # Settings for Ruby's heap. They must not change the behaviour of a program.
  class HeapTest < ExecCase
    SLOTS = "400000,80000,60000,3000,2500"
    STATE = "Spate::Boot.session.parts[:heap]"
    # Programs that failed, hung or behaved differently while garbage collection was delayed.
    PROGRAMS = {
      "files that are not closed" => <<~'RUBY',
        Process.setrlimit(:NOFILE, 1024)
        3000.times { File.open(__FILE__).gets }
        p :done
      RUBY
      "enumerators that are left" => <<~'RUBY',
        40_000.times { [1, 2].each.next }
        p :done
      RUBY
      "threads" => <<~'RUBY',
        (Thread.list - [Thread.current]).each(&:join)
        (Thread.list - [Thread.current]).each(&:kill)
        p Thread.list.size
        require "timeout"
        p((Timeout.timeout(0.05) { sleep } rescue $!.class))
      RUBY
      "a deadlock" => "begin; Queue.new.pop; rescue Exception; p $!.class; end",
      "its own wishes" => "p GC.disable, GC.disable, GC.enable, GC.enable, GC.stress, GC.method(:disable).owner"
    }.freeze

    def test_programs_behave_the_same_with_settings
      PROGRAMS.each do |name, program|
        expected, found = told(program)
        assert_equal [expected, name], [found, name]
      end
    end

    # A server that becomes a daemon must collect garbage more than ten times during 60 requests.
    def test_daemon_runs_garbage_collection
      expected, found = told(<<~'RUBY')
        require "socket"
        server = TCPServer.new("127.0.0.1", 0)
        reader, writer = IO.pipe
        ask = lambda do
          socket = TCPSocket.new("127.0.0.1", server.addr[1])
          socket.read.to_i
        end
        if fork
          Process.wait
          first, *, last = Array.new(60) { ask.call }
          p last - first > 10
          Process.kill(:KILL, reader.gets.to_i)
        else
          Process.daemon(true, true)
          writer.puts(Process.pid)
          loop do
            socket = server.accept
            100_000.times { "x" * 50 }
            socket.write(GC.count)
            socket.close
          end
        end
      RUBY
      assert_equal ["true\n"] * 2, [expected, found]
    end

    # Compares the memory of a server and three workers in kB. A single garbage collection in a worker can halve or
    # double it, so each worker collects before the measurement. The remaining variation is a few per cent: one round of
    # three must be within 5% of `bundle exec`.
    def test_objects_of_a_server_stay_shared_with_its_workers
      program = <<~'RUBY'
        KEPT = Array.new(200_000) { |number| [number.to_s * 4, { number => "x" * 30 }] }
        500_000.times { |number| "#{number}" * 3 }
        workers = Array.new(3) do
          ready, finished = IO.pipe, IO.pipe
          fork do
            300.times { |number| Array.new(300) { "#{number} is a request" }.join.upcase }
            2.times { GC.start }
            ready[1].puts("ready")
            finished[0].gets
          end
          [ready, finished]
        end
        workers.each { |ready, _| ready[0].gets }
        pids = [Process.pid, *File.read("/proc/self/task/#{Process.pid}/children").split]
        puts pids.sum { |pid| File.read("/proc/#{pid}/smaps_rollup")[/^Pss: +(\d+)/, 1].to_i }
        workers.each { |_, finished| finished[1].puts }
        Process.waitall
      RUBY
      ratios = []
      until ratios.length == 3 || ratios.any? { |ratio| ratio <= 1.05 }
        expected, found = told(program).map { |output| Integer(output) }
        ratios << found.fdiv(expected)
      end
      assert_operator ratios.min, :<=, 1.05
    end

    # A kind of boot gets settings only if earlier boots show that they save time.
    def test_settings_are_used_only_if_they_save_time
      compile_cache_is_there
      assert_equal "no past boot was faster with it", state, "a first boot"
      boot_log(line(collected: 40))
      assert_equal "no past boot was faster with it", state, "too little"
      boot_log(line(ended: "exit"))
      assert_equal "no past boot was faster with it", state, "a script"
      boot_log(line(kind: "other.rb"))
      assert_equal "no past boot was faster with it", state, "another kind"
      boot_log(line, line(collected: 495, told: true))
      assert_equal "no past boot was faster with it", state, "a boot that saved no time"
      boot_log(line, line(collected: 200, told: true))
      assert_equal true, state
      boot_log(line)
      assert_equal true, state, "it is tried"
      assert_equal "turned off", state(SPATE_HEAP: "0")
      assert_equal "RUBY_GC_HEAP_GROWTH_FACTOR is set", state(RUBY_GC_HEAP_GROWTH_FACTOR: "1.9")
    end

    def test_settings_on_request_from_the_first_boot
      skip "Ruby #{RUBY_VERSION} does not receive the times of earlier boots" if Boot::Exec::Heap::SIZED
      assert_equal true, state(SPATE_HEAP: "1")
    end

    def test_unset_removes_only_variables_of_ruby
      env = { "SPATE_HEAP_SET" => "PATH,RUBY_GC_HEAP_INIT_SLOTS", "PATH" => "/bin",
              "RUBY_GC_HEAP_INIT_SLOTS" => "20000" }
      Boot::Exec::Heap.unset(env)
      assert_equal({ "PATH" => "/bin" }, env)
    ensure
      Boot::Exec::Heap.instance_variable_set(:@given, nil)
    end

    def test_neither_the_program_nor_its_children_see_the_variables
      compile_cache_is_there
      boot_log(line)
      seen = "p #{STATE}, ENV.keys.grep(/RUBY_GC|SPATE_HEAP/)"
      output, = run_program("#{seen}; system('ruby', '-e', #{seen.dump})")
      assert_equal "true\n[]\n\"no past boot was faster with it\"\n[]\n", output
    end

    private

    # The program's output, [under `bundle exec`, under `spate exec` with settings].
    def told(program)
      compile_cache_is_there
      boot_log(line)
      expected, = (write_program(program)
                   project.run("bundle", "exec", "./program.rb"))
      found, = run_program("#{STATE} == true or abort 'not told'\n#{program}")
      [expected, found]
    end

    def run_program(program, **env)
      write_program(program)
      spate_exec("./program.rb", **env)
    end

    def write_program(program) = write("app/program.rb", "#!/usr/bin/env ruby\n#{program}", mode: 0o755)
    def compile_cache_is_there = cache || build
    def state(**env) = JSON.parse(run_program("require 'json'; puts JSON.generate(#{STATE})", **env).first)

    def boot_log(*lines)
      File.write(cache.sub(/compiled\z/, "bootlog"), lines.join)
    end

    # A line of the boot log.
    def line(kind: "program.rb", ended: "accept", collected: 500, told: false)
      parts = told ? [] : ["heap=no past boot was faster with it"]
      slots = SLOTS if Boot::Exec::Heap::SIZED
      [1_700_000_000, kind, ended, 2000, 1900, 100, 0, collected, slots, *parts].join("\t") << "\n"
    end
  end
end
