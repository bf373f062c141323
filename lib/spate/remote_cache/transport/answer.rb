# frozen_string_literal: true

module Spate
  module RemoteCache
    module Transport
      # An answer (Net::HTTPResponse): its body within limits, or why it cannot be used. address: for the message of
      # Unavailable.
      module Answer
        # A longer page of an error is not read to its end, and costs the connection.
        MAX_PAGE = 65_536
        # Bytes of an answer without an announced length, which may be endless.
        UNANNOUNCED = 16 << 20
        # What is looked at to tell a page from what was asked for.
        HEAD = 4096
        REASONS = { 401 => :credentials, 403 => :credentials, 407 => :credentials, 408 => :slow, 413 => :full,
                    429 => :slow, 503 => :slow, 504 => :slow, 507 => :full }.freeze
        LOG = "its log says why; the folder that it writes to has to be its own user's"
        private_constant :LOG
        # To a PUT or DELETE of servers that only read.
        READ_ONLY = [405, 501].freeze
        FOLDERS = "make the folders ac and cas in it, if they are not there; nothing in these may be a folder"
        private_constant :HEAD, :REASONS, :READ_ONLY, :FOLDERS

        module_function

        # Yields the pieces of what was asked for, of `limit` bytes at most together. Raises Unavailable.
        def content(answer, limit, address, &block)
          head = String.new(encoding: Encoding::BINARY) if answer.content_type == "text/html"
          got, expected = read(answer, limit, address) do |bytes|
            next yield(bytes) unless head

            head << bytes
            head = checked(head, address, &block) if head.bytesize >= HEAD
          end
          checked(head, address, &block) if head
          raise broke_off(address, got, expected) if expected && got < expected
        end

        # Yields all that comes, of `limit` bytes at most, however long it was said to be. Raises Unavailable.
        def pieces(answer, limit, address, &block) = read(answer, limit, address, unannounced: limit, &block)

        # The size in an answer to HEAD.
        def size(answer, address)
          answer.content_length || raise(Unavailable.new(:answer, address, "tells no size"))
        end

        # When what a HEAD is about was written (Time), nil where it does not tell.
        def time(answer, field = "Last-Modified")
          require "time"
          Time.httpdate(answer[field].to_s)
        rescue ArgumentError
          nil
        end

        # The text of a short answer, or of its beginning where it broke off.
        def text(answer, address, limit: MAX_PAGE)
          text = String.new(encoding: Encoding::BINARY)
          read(answer, limit, address) { |bytes| text << bytes }
          text
        end

        # Reads a page that is not used, to keep the connection. A long one ends the request and its connection.
        def skip(answer, address)
          text(answer, address)
        rescue Unavailable
          throw Spate::HTTP::Client::DROP
        end

        # Why an answer's status means no. fact: more of it.
        def refusal(answer, address, writing: false, fact: answer.message, hint: nil)
          status = answer.code.to_i
          reason = writing && READ_ONLY.include?(status) ? :read_only : REASONS.fetch(status, :answer)
          hint ||= ({ 409 => FOLDERS, 500 => LOG }[status] if writing) || Unavailable::HINTS.fetch(reason)
          Unavailable.new(reason, address, "answers #{status} #{fact}".rstrip, hint: hint)
        end

        # [bytes that came, bytes that were announced].
        def read(answer, limit, address, unannounced: UNANNOUNCED)
          answer.decode_content = true if answer["Content-Encoding"]
          expected = answer.content_length unless answer["Content-Encoding"]
          limit = [limit, unannounced].min unless expected
          raise too_long(address, expected, limit) if expected && expected > limit

          got = 0
          answer.read_body do |bytes|
            got += bytes.bytesize
            raise too_long(address, nil, limit) if got > limit

            yield bytes
          end
          [got, expected]
        rescue EOFError # only later versions of net-http raise it
          raise broke_off(address, got, expected)
        rescue Zlib::Error
          raise broke_off(address, got, nil)
        end

        # Yields the beginning of what may be a page, where it is none. Returns nil.
        def checked(head, address)
          found = Registry::Archive.describe(head)
          raise Unavailable.new(:answer, address, "sent #{found}") if found.start_with?("an HTML page")

          yield head
          nil
        end

        def too_long(address, announced, limit)
          TooLong.new(address, "sends #{announced || "more"} bytes, expected #{limit} at most")
        end

        def broke_off(address, got, expected)
          Unavailable.new(:answer, address, "broke off after #{got} #{"of #{expected} " if expected}bytes")
        end
        private_class_method :read, :checked, :too_long, :broke_off
      end
    end
  end
end
