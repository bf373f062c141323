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
            line(separator, limit, chomp)
          end

          # Yields each line. Without a block, returns an Enumerator.
          def each(*arguments, chomp: false)
            return to_enum(:each, *arguments, chomp: chomp) unless block_given?

            separator, limit = Lines.arguments(*arguments)
            raise ArgumentError, "invalid limit: 0 for each" if limit&.zero?

            while (text = line(separator, limit, chomp))
              yield text
            end
            self
          end

          # Returns [separator, limit], each possibly nil. Raises ArgumentError or TypeError.
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

          def self.convert(kind, object)
            return if object.nil?

            kind.try_convert(object) || raise(TypeError, "no implicit conversion of #{object.class} into #{kind}")
          end
          private_class_method :convert

          private

          def line(separator, limit, chomp)
            return +"".b if limit&.zero?

            paragraph = separator == ""
            skip_newlines if paragraph
            ending = paragraph ? "\n\n" : separator&.b
            length = line_length(ending, limit)
            return if length.zero?

            text = take(length)
            skip_newlines if paragraph && text.end_with?(ending)
            chomp && ending && text.end_with?(ending) ? text.chomp(separator) : text
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
