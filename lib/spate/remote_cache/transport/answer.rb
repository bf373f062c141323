# frozen_string_literal: true

module Spate
  module RemoteCache
    module Transport
      # Reads a response (Net::HTTPResponse) within limits, or raises Unavailable. address: for the message of
      # Unavailable.
      module Answer
        # The maximum size of an error page in bytes. Longer ones are not read completely, so the connection must be
        # closed.
        MAX_PAGE = 65_536
        # The maximum size in bytes of a response without Content-Length, which may be endless.
        UNKNOWN_LENGTH_LIMIT = 16 << 20
        # The number of bytes that are inspected to detect an HTML page.
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

        # Yields the content in pieces, with at most `limit` bytes in total. Raises Unavailable.
        def content(answer, limit, address, &block)
          head = String.new(encoding: Encoding::BINARY) if answer.content_type == "text/html"
          got, expected = read(answer, limit, address) do |bytes|
            next yield(bytes) unless head

            head << bytes
            head = checked(head, address, &block) if head.bytesize >= HEAD
          end
          checked(head, address, &block) if head
          raise closed_early(address, got, expected) if expected && got < expected
        end

        # Yields the body in pieces, with at most `limit` bytes in total, with or without Content-Length. Raises
        # Unavailable.
        def pieces(answer, limit, address, &block) = read(answer, limit, address, unannounced: limit, &block)

        # The size in a response to HEAD.
        def size(answer, address)
          answer.content_length || raise(Unavailable.new(:answer, address, "did not report a size"))
        end

        # The Time in a header of the response, or nil.
        def time(answer, field = "Last-Modified")
          require "time"
          Time.httpdate(answer[field].to_s)
        rescue ArgumentError
          nil
        end

        # The text of a short response, or its beginning if it was truncated.
        def text(answer, address, limit: MAX_PAGE)
          text = String.new(encoding: Encoding::BINARY)
          read(answer, limit, address) { |bytes| text << bytes }
          text
        end

        # Reads and discards a page, so that the connection can be reused. If the page is too long, closes the
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

        # [number of received bytes, Content-Length or nil]
        def read(answer, limit, address, unannounced: UNKNOWN_LENGTH_LIMIT)
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
        rescue EOFError # only raised by newer versions of net-http
          raise closed_early(address, got, expected)
        rescue Zlib::Error
          raise closed_early(address, got, nil)
        end

        # Yields the first bytes of the body, unless they are an HTML page. In this case raises Unavailable. Returns
        # nil.
        def checked(head, address)
          found = Registry::Archive.describe(head)
          raise Unavailable.new(:answer, address, "sent #{found}") if found.start_with?("an HTML page")

          yield head
          nil
        end

        def too_long(address, announced, limit)
          TooLong.new(address, "sends #{announced || "more"} bytes, expected at most #{limit}")
        end

        def closed_early(address, got, expected)
          Unavailable.new(:answer, address, "closed the connection after #{got} #{"of #{expected} " if expected}bytes")
        end
        private_class_method :read, :checked, :too_long, :closed_early
      end
    end
  end
end
