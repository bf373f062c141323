# frozen_string_literal: true

require "test_helper"
require "support/rack_server"

module Spate
  module Server
    # Files for long request bodies.
    class TemporaryFileTest < Minitest::Test
      include RackServer

      # The file system of TMPDIR has no unnamed files.
      def setup
        super
        @before = ENV.fetch("TMPDIR", nil)
        ENV["TMPDIR"] = folder
        @nameless = Rack::Input::TemporaryFile.method(:nameless)
        Rack::Input::TemporaryFile.define_singleton_method(:nameless) { raise Errno::EOPNOTSUPP }
      end

      def teardown
        super
        Rack::Input::TemporaryFile.define_singleton_method(:nameless, @nameless)
        Rack::Input::TemporaryFile.private_class_method :nameless
        ENV["TMPDIR"] = @before
      end

      def test_file_systems_without_unnamed_files
        serve do |env|
          input = env["rack.input"]
          [200, {}, [[input.class, input.stat.nlink, Dir.children(folder).size, input.read.bytesize].join(" ")]]
        end
        input = "a" * 100_000
        each_version do |_, option|
          assert_equal "Spate::Server::Rack::Input::TemporaryFile 0 0 100000",
                       curl(option, "--data-binary", "@-", address, input: input)
        end
      end
    end
  end
end
