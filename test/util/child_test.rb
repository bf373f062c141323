# frozen_string_literal: true

require "test_helper"

module Spate
  module Util
    class ChildTest < Minitest::Test
      def child(code, **options, &block)
        start = "report = IO.for_fd(3, 'wb'); report.sync = true; "
        Child.run(ENV.to_h, "--disable-gems", "-e", start + code, **options, &block)
      end

      def test_report_and_exit_status
        assert_equal ["bytes", 3], child("report << 'bytes'; exit! 3") { |one| [one.read, one.status.exitstatus] }
      end

      def test_objects_one_or_many
        assert_equal({ "a" => [1] }, child("Marshal.dump({ 'a' => [1] }, report)", &:value))
        assert_equal [1, 2], child("Marshal.dump(1, report); Marshal.dump(2, report)") { |one| one.enum_for.to_a }
      end

      def test_incomplete_report_is_nil
        assert_nil child("exit!", &:value)
        assert_nil child("report << Marshal.dump('long')[0..3]", &:value)
        assert_equal [1], child("Marshal.dump(1, report); report << 'x'") { |one| one.enum_for.to_a }
      end

      def test_child_is_stopped_at_the_end_of_the_block
        pid = nil
        assert_raises(IOError) do
          child("sleep") { |one| raise IOError, (pid = one.instance_variable_get(:@pid)).to_s }
        end
        assert_raises(Errno::ESRCH) { Process.kill(0, pid) }
      end

      def test_child_is_stopped_with_its_child_processes
        pid = child("Marshal.dump(spawn('sleep 60'), report); sleep", pgroup: true) do |one|
          one.enum_for.first.tap { one.kill }
        end
        deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 10
        sleep 0.01 while alive?(pid) && Process.clock_gettime(Process::CLOCK_MONOTONIC) < deadline
        refute alive?(pid)
      end

      def test_a_program_that_cannot_start_leaves_no_pipe
        before = Dir.children("/proc/self/fd").size
        assert_raises(Errno::ENOENT) { child("", chdir: "/no/such/folder") { flunk } }
        assert_equal before, Dir.children("/proc/self/fd").size
      end

      private

      # A zombie does not count as alive, because no process may be there to reap orphans.
      def alive?(pid)
        File.read("/proc/#{pid}/stat")[/\) (\S)/, 1] != "Z"
      rescue SystemCallError
        false
      end
    end
  end
end
