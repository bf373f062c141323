# frozen_string_literal: true

require_relative "exec_case"
require "spate/boot/room"

module Spate
  # Collection held back while a program boots, and the program's own wishes.
  class HeapTest < ExecCase
    # More garbage than a heap takes without collecting.
    GARBAGE = "300_000.times { 'x' * 50 }"

    def collections(program, **env)
      output, = spate_exec("ruby", "-e", program, **env)
      output.lines.map { |line| Integer(line) }
    rescue ArgumentError
      flunk output
    end

    def setup
      skip "Ruby #{RUBY_VERSION} sizes its heap when it starts" if Boot::Heap::SIZED
      super
    end

    def test_nothing_is_collected_until_the_boot_has_ended
      before, after = collections("b = GC.count; #{GARBAGE}; puts GC.count - b; fork {}; #{GARBAGE}; puts GC.count - b")
      assert_equal 0, before
      assert_operator after, :>, 0
      assert_operator collections("b = GC.count; #{GARBAGE}; puts GC.count - b", SPATE_HEAP: "0").first, :>, 0
    end

    def test_who_sets_the_heap_himself_keeps_it
      count, = collections("b = GC.count; #{GARBAGE}; puts GC.count - b", RUBY_GC_HEAP_INIT_SLOTS: "10000")
      assert_operator count, :>, 0
      assert_equal "RUBY_GC_HEAP_INIT_SLOTS is set", parts(RUBY_GC_HEAP_INIT_SLOTS: "10000")["heap"]
    end

    def test_the_programs_own_wish_counts_at_the_end
      ["GC.disable", "GC.enable; GC.disable", "GC.disable; GC.enable", ""].each do |wish|
        answers = "p GC.disable, GC.enable, GC.enable"
        program = "#{wish}; Process.wait(fork {}); p GC.singleton_class.instance_method(:disable).source_location[0]; "
        expected, = project.run("bundle", "exec", "ruby", "-e", "#{program}#{answers}")
        assert_equal expected, spate_exec("ruby", "-e", "#{program}#{answers}").first, wish
      end
    end

    def test_the_answers_meanwhile_are_rubys
      program = "p GC.disable, GC.disable, GC.enable, GC.enable"
      assert_equal "false\ntrue\ntrue\nfalse\n", spate_exec("ruby", "-e", program).first
    end

    def test_it_ends_by_itself_where_the_program_waits_or_grows
      waits = "sleep 1.5; p Spate::Boot::BootEnd.reason, Thread.list.size"
      assert_equal ":idle\n1\n", spate_exec("ruby", "-e", waits).first
      # Into one buffer: nothing is collected meanwhile, and 512 MB of strings are soon read.
      reads = "f, b, t = File.open('/proc/self/maps'), +'', Time.now; " \
              "(f.sysseek(0); f.sysread(65_536, b)) while Time.now - t < 1.6; p Spate::Boot::BootEnd.reason"
      assert_equal "nil\n", spate_exec("ruby", "-e", reads).first
      grows = "Spate::Boot::BootEnd.send(:remove_const, :BYTES); Spate::Boot::BootEnd::BYTES = 1 << 20; " \
              "x = 'x' * (64 << 20); t = Time.now; nil while Time.now - t < 0.6; p Spate::Boot::BootEnd.reason"
      assert_equal ":memory\n", spate_exec("ruby", "-e", grows).first
    end
  end

  # The sizes that Ruby 3.3 and later take when they start.
  class HeapSizesTest < Minitest::Test
    SIZES = Boot::Heap::Sizes

    def test_the_last_boots_slots_become_variables_and_go_away_again
      env = SIZES.environment("0 1000\n1 500\n4 7\n9 5\n")
      assert_equal %w[1100 550 8], [0, 1, 4].map { |pool| env["RUBY_GC_HEAP_#{pool}_INIT_SLOTS"] }
      refute env.key?("RUBY_GC_HEAP_9_INIT_SLOTS")
      env["OTHER"] = "stays"
      SIZES.unset(env)
      assert_equal({ "OTHER" => "stays" }, env)
    end

    def test_a_folder_that_is_not_there_yet_is_made
      skip "GC.stat_heap needs Ruby 3.2" unless GC.respond_to?(:stat_heap)
      require "spate/native/boot"

      images = Boot::Images.new("#{folder}/store")
      application = Boot::Application.new(folder, "#{folder}/Gemfile", "#{folder}/Gemfile.lock")
      session = Boot::Session.new(Boot::Switches.new({}), application).tap { |made| made.images = images }
      SIZES.keep(session)
      assert_match(/\A(\d \d+\n)+\z/, SIZES.last(images, application))
    end

    def test_what_is_kept_can_be_read_back
      skip "GC.stat_heap needs Ruby 3.2" unless GC.respond_to?(:stat_heap)

      assert_match(/\A(\d \d+\n)+\z/, SIZES.now)
    end
  end
end
