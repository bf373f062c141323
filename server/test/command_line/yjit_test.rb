# frozen_string_literal: true

require "test_helper"
require "open3"
require "support/running"

module Spate
  module Server
    class YJITTest < Minitest::Test
      include Running

      EARLY = "this Ruby starts YJIT at any time"
      LATE = "this Ruby starts YJIT only when it starts itself"

      def setup
        skip "this Ruby has no YJIT" unless defined?(RubyVM::YJIT)
        @root = Dir.mktmpdir("spate-yjit-")
        File.write(File.join(@root, "hello.txt"), "hello\n")
      end

      def teardown
        super
        FileUtils.rm_rf(@root) if @root
      end

      def test_running_ruby_enables_yjit_by_default
        skip LATE unless RubyVM::YJIT.respond_to?(:enable)

        assert_equal %w[true true false], [nil, true, false].map { |wanted| after_start(wanted) }
      end

      def test_command_restarts_for_yjit_if_requested
        skip EARLY if RubyVM::YJIT.respond_to?(:enable)

        serve(@root, "--yjit")
        assert_includes words(@server), "--yjit"
        assert_equal "hello\n", client("curl", "-sS", address("/hello.txt"))
        stop
        serve(@root)
        refute_includes words(@server), "--yjit"
      end

      def test_hot_restart_keeps_yjit_and_the_socket
        skip EARLY if RubyVM::YJIT.respond_to?(:enable)

        pid_file = File.join(@root, "pid")
        serve(@root, "--yjit", "--pid-file", pid_file)
        Process.kill(:USR2, @server)
        line = Timeout.timeout(SECONDS) { @log.gets } until line&.start_with?("serving")
        new_server = Integer(File.read(pid_file))

        assert_includes line, ":#{@port}"
        assert_includes words(new_server), "--yjit"
        assert_equal "hello\n", client("curl", "-sS", address("/hello.txt"))
      ensure
        Process.kill(:TERM, new_server) if new_server && new_server != @server
      end

      private

      def words(pid) = File.read("/proc/#{pid}/cmdline").split("\0")

      def after_start(wanted)
        libs = $LOAD_PATH.first(4).flat_map { |path| ["-I", path] }
        script = "require 'spate/server'; Spate::Server::CommandLine::YJIT.start(#{wanted.inspect}, nil); " \
                 "print RubyVM::YJIT.enabled?"
        Open3.capture2(RbConfig.ruby, *libs, "-e", script).first
      end
    end
  end
end
