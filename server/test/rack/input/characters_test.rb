# frozen_string_literal: true

require "test_helper"
require "support/input/calls"
require "support/rack_server"

module Spate
  module Server
    # Compares env["rack.input"] of bodies that are not buffered with a StringIO. Each method gets its own input,
    # because this input cannot be rewound.
    class RackInputCharactersTest < Minitest::Test
      include RackServer

      LENGTH = [].freeze
      NO_LENGTH = { "HTTP/1.1" => ["-H", "transfer-encoding: chunked"], "HTTP/2" => ["-H", "content-length:"] }.freeze
      BYTES = ["-H", "content-type: application/octet-stream", "-H", "expect:"].freeze
      # A body that still arrives cannot be rewound, and has no size.
      MISSING = %i[closed_read? closed_write? close_write length pos= pread rewind seek set_encoding_by_bom size string
                   sync=].freeze
      # These return only available bytes, end differently (a StringIO is still open for writing), or refuse what a
      # StringIO ignores.
      OTHER = %i[read_nonblock readpartial sysread close_read set_encoding].freeze

      def setup
        super
        @found = Thread::Queue.new
        serve(limits: Limits.new(body_buffer: 0)) { |env| @found << @app.call(env["rack.input"]) && [204, {}, []] }
      end

      def send_body(bytes, option, *framing)
        curl(option, *BYTES, *framing, "--data-binary", "@#{write("body", bytes)}", address)
        take(@found)
      end

      # size: with a length and without a length.
      { 0 => false, 16_384 => false, 100_000 => true }.each do |size, length|
        define_method("test_streamed_body_of_#{size}_bytes_equals_a_string_io") do
          bytes = Random.new(size).bytes(size)
          each_version do |version, option|
            (InputCalls::METHODS - MISSING - OTHER).each do |name|
              @app = lambda do |input|
                InputCalls.new(rewinds: false).differences([name], input, StringIO.new(bytes.b))
              end
              framing = length ? LENGTH : NO_LENGTH.fetch(version)
              assert_equal [], send_body(bytes, option, *framing), "#{version} #{name}"
            end
          end
        end
      end

      # These methods return available bytes.
      def test_reading_a_part
        input = Rack::Input.new(Struct.new(:parts) { def take = parts.shift }.new(%w[abc de].map(&:b)))
        assert_equal %w[ab c de], [input.readpartial(2), input.sysread(9), input.readpartial(9, buffer = +"")]
        assert_equal "de", buffer
        assert_raises(EOFError) { input.readpartial(1) }
        assert_raises(TypeError) { input.readpartial(nil) }
        assert_raises(TypeError) { input.sysread("a") }
        assert_raises(ArgumentError) { input.set_encoding("UTF-8", "UTF-16LE") }
      end

      # The client sends the second part after the application has tried to read it.
      def test_reading_without_waiting
        client = connect
        @app = lambda do |input|
          first = input.read(2)
          waits = [input.read_nonblock(9, exception: false), assert_raises(IO::WaitReadable) { input.read_nonblock(9) }]
          client.write("2\r\ncd\r\n0\r\n\r\n")
          [first, waits.first, input.read(3), input.read_nonblock(9, exception: false),
           assert_raises(EOFError) { input.read_nonblock(9) }.class]
        end
        client.write("POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\ncontent-type: a/b\r\n\r\n" \
                     "2\r\nab\r\n")
        assert_equal ["ab", :wait_readable, "cd", nil, EOFError], take(@found)
      end

      def test_characters_that_arrive_in_pieces
        text = +"\u00e4\u20ac\u{1f600}a\xff\u00e4\xe2\x82"
        text.force_encoding("UTF-8")
        body = Struct.new(:parts) { def take = parts.shift&.dup }
        reading = lambda do |input|
          input.set_encoding("UTF-8")
          [input.gets(1), input.getc, input.each_char.to_a, input.pos]
        end
        expected = reading.call(StringIO.new(text.b))
        [1, 2, 3, 100].each do |step|
          assert_equal expected, reading.call(Rack::Input.new(body.new(text.b.scan(/.{1,#{step}}/mn)))), step
        end
      end
    end
  end
end
