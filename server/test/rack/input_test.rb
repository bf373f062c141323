# frozen_string_literal: true

require "test_helper"
require "stringio"
require "spate/server"

module Spate
  module Server
    # Compares the line methods of a streamed env["rack.input"] with those of a File. StringIO is not the reference,
    # because of its bugs in some versions.
    class RackInputTest < Minitest::Test
      TEXTS = ["", "a", "a\n", "one\ntwo\r\nthree", "\n\n\na\nb\n\n\n\nc\n\n", "x--y--z",
               "\0\n\u{1f600}\n\u00e4"].freeze
      ARGUMENTS = [[], [nil], [""], ["--"], ["\r\n"], [1], [3], [0], [-1], [nil, 2], ["\n", 4], ["--", 2], ["\n", nil],
                   [2.9]].freeze
      WRONG = [[:name], [{}], [1, 2], %w[a b], [1, 2, 3], ["\n", :two]].freeze

      # A Request::Body that has been received in parts.
      Body = Struct.new(:parts) do
        def take = parts.shift&.dup
        def trailers = {}
      end

      # All inputs that can return these bytes.
      def inputs(text, step)
        parts = text.b.scan(/.{1,#{step}}/mn)
        streaming = -> { Rack::Input.new(Body.new(parts.dup)) }
        { streaming: streaming,
          stream: -> { Rack::Stream.new(streaming.call, nil) }, half: lambda {
            half = StringIO.new(parts.first(2).join)
            Rack::Input.new(Body.new(parts.drop(2)), half)
          }, **(text.empty? ? { empty: -> { Rack::Input::Memory.new("".b) } } : {}) }
      end

      def reading(text)
        @files ||= Hash.new { |files, content| files[content] = write(files.size.to_s, content) }
        @open&.close
        @open = File.open(@files[text], "rb")
      end

      def teardown
        @open&.close
        super
      end

      def each_input
        TEXTS.product([1, 3, 100]) do |text, step|
          inputs(text, step).each { |name, make| yield text, make, "#{name} of #{text.inspect} in parts of #{step}" }
        end
      end

      def test_gets_equals_that_of_a_file
        each_input do |text, make, words|
          ARGUMENTS.product([{}, { chomp: true }]) do |arguments, options|
            # With nil as separator, Ruby 3.1 chomps, later versions do not.
            next if options[:chomp] && !arguments.empty? && arguments.first.nil?

            ours = make.call
            expected = reading(text)
            8.times do
              line = expected.gets(*arguments, **options)
              assert_equal [line], [ours.gets(*arguments, **options)], "#{words}, #{arguments} #{options}"
              break if line.nil? || line.empty?
            end
            assert_equal expected.read, ours.read, "#{words}, #{arguments} #{options}"
          end
        end
      end

      def test_each_equals_that_of_a_file
        each_input do |text, make, words|
          (ARGUMENTS - [[0]]).each do |arguments|
            expected = reading(text).each(*arguments).to_a
            lines = []
            input = make.call
            input.each(*arguments) { |line| lines << line }
            assert_equal expected, lines, "#{words}, #{arguments}"
            assert_equal expected, make.call.each(*arguments).to_a, "#{words}, #{arguments}, without a block"
          end
        end
      end

      def test_invalid_arguments_raise_the_errors_of_a_file
        ["", "a\n"].each do |text|
          inputs(text, 1).each do |name, make|
            WRONG.each do |arguments|
              expected = assert_raises(ArgumentError, TypeError) { reading(text).gets(*arguments) }
              assert_raises(expected.class, "#{name} #{arguments}") { make.call.gets(*arguments) }
            end
            assert_raises(ArgumentError, name.to_s) { make.call.each(0) { flunk } }
            assert_raises(ArgumentError, name.to_s) { make.call.gets(strip: true) }
          end
        end
      end

      def test_gets_returns_a_line_without_waiting_for_the_next
        body = Object.new
        def body.take = @taken ? raise("waits for more") : @taken = +"one\n"
        assert_equal "one\n", Rack::Input.new(body).gets
      end
    end
  end
end
