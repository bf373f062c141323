# frozen_string_literal: true

require "test_helper"

module Spate
  class ProcessorsTest < Minitest::Test
    def count(nprocessors = 64) = Util::Processors.count(nprocessors: nprocessors,
                                                         groups: File.join(folder, "cgroup"), mount: folder)

    def test_quota_of_the_group_or_a_parent_counts
      write("cgroup", "0::/machine/app\n")
      write("machine/app/cpu.max", "max 100000\n")
      write("machine/cpu.max", "250000 100000\n")

      assert_equal 3, count
    end

    def test_group_without_a_quota_has_all_processors
      write("cgroup", "0::/\n")
      write("cpu.max", "max 100000\n")

      assert_equal 64, count
    end

    def test_less_than_one_processor_counts_as_one
      write("cgroup", "0::/\n")
      write("cpu.max", "10000 100000\n")

      assert_equal 1, count
    end

    def test_quotas_of_the_first_version_of_cgroups
      write("cgroup", "4:memory:/x\n1:cpu,cpuacct:/box\n0::/\n")
      write("cpu/box/cpu.cfs_quota_us", "400000\n")
      write("cpu/box/cpu.cfs_period_us", "100000\n")
      write("cpu/cpu.cfs_quota_us", "-1\n")
      write("cpu/cpu.cfs_period_us", "100000\n")

      assert_equal 4, count
      assert_equal 2, count(2)
    end

    def test_system_without_cgroups
      assert_equal 64, count
      assert_operator Util::Processors.count, :>=, 1
    end
  end
end
