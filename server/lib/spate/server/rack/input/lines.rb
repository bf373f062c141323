# frozen_string_literal: true

module Spate
  module Server
    module Rack
      class Input
        # Reads lines, with the arguments and results of IO#gets and IO#each_line. A line is returned as soon as its
        # separator or limit is reached, without waiting for further bytes. A paragraph is an exception: it ends where
        # the next one begins.
        module Lines
          NEWLINES = /[^\n]/n

          # separator: a String, "" for paragraphs, or nil for the whole rest. limit: in bytes.
          def gets(*arguments, chomp: false)
            separator, limit = Lines.arguments(*arguments)
            check
            text = line(separator, limit, chomp)
            @lineno += 1 if text && limit != 0
            text
          end

          # The number of lines that have been read.
          attr_reader :lineno

          def lineno=(number)
            @lineno = Lines.convert(Integer, number) || raise(TypeError, "no implicit conversion from nil to integer")
          end

          def readline(*arguments, chomp: false)
            gets(*arguments, chomp: chomp) || raise(EOFError, "end of file reached")
          end

          # Yields each line. Without a block, returns an Enumerator.
          def each(*arguments, chomp: false)
            return to_enum(:each, *arguments, chomp: chomp) unless block_given?

            separator, limit = Lines.arguments(*arguments)
            raise ArgumentError, "invalid limit: 0 for each_line" if limit&.zero?

            while (text = gets(separator, limit, chomp: chomp))
              yield text
            end
            self
          end

          def each_line(...) = each(...)

          def readlines(*arguments, chomp: false)
            raise ArgumentError, "invalid limit: 0 for readlines" if Lines.arguments(*arguments).last&.zero?

            each(*arguments, chomp: chomp).to_a
          end

          # Returns [separator, limit]. Each may be nil. Raises ArgumentError or TypeError.
          def self.arguments(separator = $/, *limits)
            unless limits.size < 2
              raise ArgumentError, "wrong number of arguments (given #{limits.size + 1}, expected 0..2)"
            end

            if limits.empty? && separator && !String.try_convert(separator)
              limits = [separator]
              separator = $/
            end
            limit = convert(Integer, limits.first)
            [convert(String, separator), limit&.negative? ? nil : limit]
          end

          # Returns the object as an Integer or a String, or nil. Raises TypeError.
          def self.convert(kind, object)
            return if object.nil?

            kind.try_convert(object) || raise(TypeError, "no implicit conversion of #{object.class} into #{kind}")
          end

          private

          def line(separator, limit, chomp)
            return String.new(encoding: external_encoding) if limit&.zero?

            paragraph = separator == ""
            skip_newlines if paragraph
            ending = paragraph ? "\n\n" : separator&.b
            length = line_length(ending, limit)
            return if length.zero?

            length = whole_character(length) if length == limit && external_encoding != Encoding::BINARY
            text = take(length)
            skip_newlines if paragraph && text.end_with?(ending)
            text = text.chomp(separator) if chomp && ending && text.end_with?(ending)
            text.force_encoding(external_encoding)
          end

          # Returns a length that includes the rest of the last character.
          def whole_character(length)
            longer = (length...(length + Characters::LONGEST)).find do |count|
              (left >= count || fill) && start(count)[-1].valid_encoding?
            end
            longer || length
          end

          # Searches only in the bytes that arrived since the last search.
          def line_length(ending, limit)
            from = 0
            until (found = line_end(ending, from)) || (limit && left >= limit)
              from = [left - ending.to_s.bytesize + 1, 0].max
              break unless fill
            end
            [found || left, limit].compact.min
          end

          def line_end(ending, from)
            at = ending && @rest.index(ending, @position + from)
            at + ending.bytesize - @position if at
          end

          def skip_newlines
            loop do
              at = @rest.index(NEWLINES, @position)
              take((at || @rest.bytesize) - @position)
              break if at || !fill
            end
          end
        end
      end
    end
  end
end
