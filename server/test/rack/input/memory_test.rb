# frozen_string_literal: true

require "test_helper"
require "support/input/calls"
require "support/rack_server"

module Spate
  module Server
    # Compares env["rack.input"] of complete bodies with a StringIO, and that of long bodies with a File, because these
    # classes differ in some results.
    class RackInputMemoryTest < Minitest::Test
      include RackServer

      LENGTH = ["-H", "expect:"].freeze
      # Without a content-length: in chunks, or in HTTP/2 with DATA frames only.
      NO_LENGTH = { "HTTP/1.1" => ["-H", "transfer-encoding: chunked"], "HTTP/2" => ["-H", "content-length:"] }.freeze

      def teardown
        @files&.each(&:close)
        super
      end

      def body(size) = Random.new(size).bytes(size)

      def expected(bytes)
        return StringIO.new(bytes.b) if bytes.bytesize <= Rack::BufferedBody::MEMORY

        file = File.open(write("body", bytes), "r+b")
        file.singleton_class.alias_method(:length, :size)
        (@files ||= []).push(file).last
      end

      # Sends the body once for each group of methods. Returns the differences.
      def compare(bytes, option, *framing, limits: Limits.new, groups: InputCalls::GROUPS)
        path = write("body", bytes)
        found = Thread::Queue.new
        serve(limits: limits) do |env|
          found << InputCalls.new.differences(@methods, env["rack.input"], expected(bytes))
          [204, {}, []]
        end
        groups.flat_map do |methods|
          @methods = methods
          curl(option, *framing, "--data-binary", "@#{path}", address)
          take(found)
        end
      ensure
        stop
        @reactor = nil
      end

      [0, 1, 16_384, 1 << 20].each do |size|
        define_method("test_#{size}_bytes_equal_an_io_of_ruby") do
          each_version do |version, option|
            [LENGTH, NO_LENGTH.fetch(version)].each do |framing|
              assert_equal [], compare(body(size), option, *framing), "#{version} #{framing}"
            end
          end
        end
      end

      # A form is rewindable even if it is not buffered before the application is called.
      def test_streamed_forms_equal_an_io_of_ruby
        bytes = body(16_384)
        each_version do |version, option|
          differences = compare(bytes, option, *LENGTH, limits: Limits.new(body_buffer: 0),
                                                        groups: InputCalls::GROUPS.first(1))
          assert_equal [], differences, version
        end
      end
    end
  end
end
