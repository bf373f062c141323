# frozen_string_literal: true

module Spate
  module RemoteCache
    module Transport
      # A response (Net::HTTPResponse): its body within limits, or why it cannot be used. address: for the message of
      # Unavailable.
      module Answer
        # A longer error page is not read to its end, which costs the connection.
        MAX_PAGE = 65_536
        # Maximum bytes of a response without an announced length, which may be endless.
        UNANNOUNCED = 16 << 20
        # Number of bytes that are inspected to detect an HTML page.
        HEAD = 4096
        REASONS = { 401 => :credentials, 403 => :credentials, 407 => :credentials, 408 => :slow, 413 => :full,
                    429 => :slow, 503 => :slow, 504 => :slow, 507 => :full }.freeze
        LOG = "see its log; the folder that it writes to must belong to its user"
        private_constant :LOG
        # Statuses of read-only servers for a PUT or DELETE.
        READ_ONLY = [405, 501].freeze
        FOLDERS = "create the folders ac and cas there; they must not contain folders"
        private_constant :HEAD, :REASONS, :READ_ONLY, :FOLDERS

        module_function

        # Yields the pieces of the requested content, of at most `limit` bytes in total. Raises Unavailable.
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

        # Yields the pieces of the body, of at most `limit` bytes in total, with or without an announced length. Raises
        # Unavailable.
        def pieces(answer, limit, address, &block) = read(answer, limit, address, unannounced: limit, &block)

        # The size in an answer to HEAD.
        def size(answer, address)
          answer.content_length || raise(Unavailable.new(:answer, address, "did not report a size"))
        end

        # The time (Time) in a header of the response, or nil.
        def time(answer, field = "Last-Modified")
          require "time"
          Time.httpdate(answer[field].to_s)
        rescue ArgumentError
          nil
        end

        # The text of a short response, or its beginning if the response was truncated.
        def text(answer, address, limit: MAX_PAGE)
          text = String.new(encoding: Encoding::BINARY)
          read(answer, limit, address) { |bytes| text << bytes }
          text
        end

        # Reads a page that is not used, so that the connection stays open. A long page ends the request and its
        # connection.
        def skip(answer, address)
          text(answer, address)
        rescue Unavailable
          throw Spate::HTTP::Client::DROP
        end

        # The Unavailable for a status. fact: text after the status.
        def refusal(answer, address, writing: false, fact: answer.message, hint: nil)
          status = answer.code.to_i
          reason = writing && READ_ONLY.include?(status) ? :read_only : REASONS.fetch(status, :answer)
          hint ||= ({ 409 => FOLDERS, 500 => LOG }[status] if writing) || Unavailable::HINTS.fetch(reason)
          Unavailable.new(reason, address, "returned #{status} #{fact}".rstrip, hint: hint)
        end

        # [number of received bytes, number of announced bytes]
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
        rescue EOFError # raised only by later versions of net-http
          raise broke_off(address, got, expected)
        rescue Zlib::Error
          raise broke_off(address, got, nil)
        end

        # Yields the first bytes of the body. Raises Unavailable if they are an HTML page. Returns nil.
        def checked(head, address)
          found = Registry::Archive.describe(head)
          raise Unavailable.new(:answer, address, "sent #{found}") if found.start_with?("an HTML page")

          yield head
          nil
        end

        def too_long(address, announced, limit)
          TooLong.new(address, "sends #{announced || "more"} bytes, expected at most #{limit}")
        end

        def broke_off(address, got, expected)
          Unavailable.new(:answer, address, "closed the connection after #{got} #{"of #{expected} " if expected}bytes")
        end
        private_class_method :read, :checked, :too_long, :broke_off
      end
    end
  end
end
