# frozen_string_literal: true

require "stringio"

module Spate
  module Server
    # Calls every reading method of StringIO with many arguments, on an env["rack.input"] and on an IO of Ruby with the
    # same bytes, and compares the results.
    class InputCalls
      OTHERS = %i[<< fcntl fileno print printf putc puts reopen string= syswrite truncate write write_nonblock].freeze
      # The methods of Enumerable only use `each`.
      METHODS = (StringIO.public_instance_methods - Enumerable.public_instance_methods -
                 Object.public_instance_methods - OTHERS).sort.freeze
      # These change the input for further calls. The other methods share one input.
      LAST = %i[close close_read close_write ungetbyte ungetc].freeze
      GROUPS = [METHODS - LAST, *LAST.map { |name| [name] }].freeze
      # Both calls of a case get their own copy. `read` without arguments comes last, because it leaves nothing to read.
      ARGUMENTS = [[1], [3], [0], [70_000], [-1], ["\n"], ["ab"], ["", 9], ["\n", 5], ["\n", 0], [5, "buffer".b],
                   [4, 2], [2.9], ["UTF-8"], [Encoding::UTF_8], [nil, 7], [:name], [1, 2, 3], [""], [nil], []].freeze
      OPTIONS = { /each|gets|lines?\z/ => [{}, { chomp: true }], /nonblock/ => [{}, { exception: false }] }.freeze
      # In Ruby 3.1, readlines of a File does not end with the first ones, and StringIO does not skip the separator with
      # the second ones.
      FAULTS = [[[nil], { chomp: true }], [["ab"], { chomp: true }]].freeze
      # Blocks stop after this many items, which is enough to find a difference.
      ITEMS = 300

      # rewinds: whether the input can be rewound before each call.
      def initialize(rewinds: true)
        @rewinds = rewinds
      end

      # Calls methods with all arguments, each from the start and from the middle of a line. Returns the differences as
      # lines. expected: a StringIO or a File.
      def differences(methods, input, expected)
        verbose, $VERBOSE = $VERBOSE, nil # set_encoding warns of unknown encodings
        methods.product([0, 3]).flat_map do |name, from|
          cases(name).filter_map do |arguments, options|
            one, two = [expected, input].map { |io| outcome(io, from, name, arguments, options) }
            "#{name} #{arguments} #{options} at #{from}: #{two}, expected #{one}" if one != two
          end
        end
      ensure
        $VERBOSE = verbose
      end

      private

      def cases(name)
        options = OPTIONS.find { |names, _| name.match?(names) }&.last || [{}]
        all = ARGUMENTS.product(options) - FAULTS
        return all unless name == :readlines

        # Many short lines take too long; each_line has the same limits.
        all.reject { |arguments, _| arguments.any? { |argument| argument.is_a?(Numeric) && argument.between?(1, 9) } }
      end

      # Returns the result of a call, and what the calls after it return.
      def outcome(input, from, name, arguments, options)
        reset(input, from)
        arguments = arguments.map { |argument| argument.is_a?(String) ? argument.dup : argument }
        [attempt(input) { call(input, name, arguments, options) }, digest(arguments, input),
         *%i[pos lineno eof? external_encoding closed?].map { |state| attempt(input) { input.public_send(state) } },
         attempt(input) { input.read(5) }]
      end

      def reset(input, from)
        input.rewind if @rewinds
        input.lineno = 0
        input.binmode
        input.set_encoding(Encoding::BINARY)
        input.read(from)
      rescue IOError
        nil # a previous call has closed it
      end

      def call(input, name, arguments, options)
        result = input.public_send(name, *arguments, **options) unless name.start_with?("each")
        return name.end_with?("=") || result unless name.start_with?("each")

        items = []
        result = input.public_send(name, *arguments, **options) do |item|
          items << item
          break :stopped if items.size == ITEMS
        end
        [items, result]
      end

      def attempt(input)
        digest(yield, input)
      rescue StandardError => e
        e.class
      end

      # Makes a result comparable and short.
      def digest(result, input)
        case result
        when input then :self
        when Array then result.size > ITEMS ? [result.size, result.hash] : result.map { |item| digest(item, input) }
        when Enumerator then digest(result.first(3), input)
        when String then [result.bytesize < 20 ? result.b : result.hash, result.bytesize, result.encoding.name]
        else result
        end
      end
    end
  end
end
