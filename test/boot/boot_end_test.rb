# frozen_string_literal: true

require_relative "exec_case"

module Spate
  # The end of a boot, BootEnd: outdated records and compile caches are rebuilt, their pages are released, and methods
  # that the program replaced stay.
  class BootEndTest < ExecCase
    # A copied bundle has new times. The record is rebuilt, because otherwise each boot would compare file contents.
    def test_bundler_replay_is_rebuilt_after_times_have_changed
      5.times { |number| write("app/local/lib/part#{number}.rb", "") }
      requires = (0..4).map { |number| "require_relative %q(lib/part#{number})\n" }.join
      write("app/local/local.gemspec", requires + GEMSPEC)
      build
      Dir["#{project.path("local")}/lib/*.rb"].each { |path| File.utime(0, 0, path) }
      File.utime(0, Time.now - 600, cache) # made by an earlier boot

      assert times_changed?
      spate_exec("ruby", "-e", "1", SPATE_BOOT_BACKGROUND: "1")
      wait { !times_changed? && unlocked? }
      assert_equal true, parts["replay"]
    end

    def test_method_replaced_by_the_program_stays
      program = <<~'RUBY'
        class << Process
          alias plain_fork _fork
          def _fork = [$forks = $forks.to_i + 1, plain_fork].last
        end
        require "socket"
        TCPServer.prepend(Module.new { def accept = [$accepts = $accepts.to_i + 1, super].last })
        server = TCPServer.new("127.0.0.1", 0)
        3.times do
          Process.wait(fork {})
          TCPSocket.new("127.0.0.1", server.addr[1]).close
          server.accept.close
        end
        p $forks, $accepts, TCPServer.instance_method(:accept).super_method.source_location
      RUBY
      assert_equal "3\n3\nnil\n", spate_exec("ruby", "-e", program).first
    end

    def test_pages_of_the_compile_caches_are_released
      build
      program = <<~'RUBY'
        require "local"
        resident = -> { File.read("/proc/self/smaps")[%r{ \S*/boots/\S*compiled\n.*?^Rss: +(\d+)}m, 1].to_i }
        before = resident.call
        fork {}
        p [before.positive?, resident.call < before]
      RUBY
      assert_equal "[true, true]\n", spate_exec("ruby", "-e", program).first
    end

    def test_new_compile_caches_are_built_when_they_would_save_time
      require "spate/boot/entry"
      cache = ->(count) { Struct.new(:files) { alias_method :count, :files }.new(count) }
      hits = [["/a", :hit], ["/b", :hit], ["/c", :warns]]
      refute Boot::BootEnd::NewFiles.rebuild_useful?(hits, cache.call(2), cache.call(1))
      refute Boot::BootEnd::NewFiles.rebuild_useful?(hits, cache.call(3), nil)
      assert Boot::BootEnd::NewFiles.rebuild_useful?(hits, cache.call(1), cache.call(1)),
             "served by compile caches of gems, not yet in order"
      %i[miss stale revalidated damaged].each do |outcome|
        assert Boot::BootEnd::NewFiles.rebuild_useful?([["/a", outcome]], cache.call(3), nil), outcome
      end
    end

    private

    def times_changed? = spate_exec("ruby", "-e", "p Spate::Boot::BundlerReplay.times_changed?").first == "true\n"
  end
end
