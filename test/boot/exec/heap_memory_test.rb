# frozen_string_literal: true

require "boot/exec_case"
require "spate/boot/entry"

module Spate
  # Boot::Exec::Heap::Memory reads the available memory from the files of several systems.
  class HeapMemoryTest < Minitest::Test
    MB = 1 << 20

    # The available bytes on a system with these files and 8 GB of free memory.
    def available(files)
      { "proc/meminfo" => "MemTotal: 16777216 kB\nMemAvailable:    8388608 kB\n", **files }.each do |path, text|
        write("system/#{path}", text)
      end
      Boot::Exec::Heap::Memory.new("#{folder}/system").available
    end

    def test_available_is_the_machines_free_memory
      assert_equal 8192 * MB, available({})
      assert_equal 0, Boot::Exec::Heap::Memory.new("#{folder}/none").available
    end

    def test_smallest_limit_of_all_parent_groups
      assert_equal 300 * MB, available("proc/self/cgroup" => "0::/a.slice/b.service\n",
                                       "sys/fs/cgroup/a.slice/memory.max" => "#{300 * MB}\n",
                                       "sys/fs/cgroup/a.slice/b.service/memory.max" => "max\n")
    end

    def test_first_version_of_cgroups
      assert_equal 256 * MB, available("proc/self/cgroup" => "5:cpu:/x\n4:hugetlb,memory:/docker/1\n0::/\n",
                                       "sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes" => "#{256 * MB}\n",
                                       "sys/fs/cgroup/memory/memory.limit_in_bytes" => "9223372036854771712\n")
    end

    def test_container_limit_is_read_from_the_root_group
      assert_equal 512 * MB, available("proc/self/cgroup" => "4:memory:/docker/1\n0::/\n",
                                       "sys/fs/cgroup/memory/memory.limit_in_bytes" => "#{512 * MB}\n")
    end

    def test_limit_is_a_small_share_of_available_memory
      skip "from Ruby 3.3 on no setting takes memory" if Boot::Exec::Heap::SIZED

      settings = Boot::Exec::Heap::Settings.new([])
      given = [8192, 1024, 600, 511, 300].map { |megabytes| settings.to_h(megabytes * MB).values.first&.to_i }
      assert_equal [64 * MB, 64 * MB, 600 * MB / 16, nil, nil], given
    end
  end

  # A script in a control group of 300 MB gets the same memory with and without the heap settings.
  class HeapLimitedTest < ExecCase
    BYTES = 300 << 20
    PLACES = { "/sys/fs/cgroup/memory" => "memory.limit_in_bytes", "/sys/fs/cgroup" => "memory.max" }.freeze
    PROGRAM = <<~'RUBY'
      require "json"
      text = JSON.generate(Array.new(20_000) { |number| { "name" => "item #{number}", "tags" => %w[a b c] } })
      100.times { JSON.parse(text) }
      p Spate::Boot.session.parts[:heap]
    RUBY

    def test_script_gets_no_heap_settings
      within_limit do |group|
        %w[0 1].each do |asked|
          output, status = project.run("sh", "-c", "echo $$ > #{group}/cgroup.procs; exec \"$@\"", "sh",
                                       "ruby", "--disable-gems", File.expand_path("../../../exe/spate", __dir__),
                                       "exec", "ruby", "-e", PROGRAM, SPATE_HEAP: asked)
          assert_predicate status, :success?, output
          assert_equal({ "0" => "turned off", "1" => "no past boot was faster with it" }[asked].inspect, output.chomp)
        end
      end
    end

    private

    def within_limit
      place, file = PLACES.find { |folder, name| File.exist?("#{folder}/#{name}") || controlled?(folder) }
      skip "cannot create a memory cgroup here" unless place && File.writable?(place)

      Dir.mkdir(group = "#{place}/spate-test-#{Process.pid}")
      File.write("#{group}/#{file}", BYTES)
      yield group
    ensure
      Dir.rmdir(group) if group && File.directory?(group)
    end

    def controlled?(folder)
      File.read("#{folder}/cgroup.subtree_control").include?("memory")
    rescue SystemCallError
      false
    end
  end
end
