# frozen_string_literal: true

require "openssl"

module Spate
  module Server
    class Cache
      # Receives an entry's body on the reactor's thread. The body is hashed and written as it arrives. When it is
      # complete and, for a blob, matches the digest, the file is moved to the entry's path.
      class Upload
        FULL = [Errno::ENOSPC, Errno::EDQUOT, Errno::EFBIG].freeze
        BUSY = [Errno::EMFILE, Errno::ENFILE, Errno::ENOMEM].freeze

        attr_reader :size

        # folder: a Folder. most: the maximum size in bytes. keep: called with the complete file, which it moves to the
        # entry's path. keep returns nil, or a status and a text that are passed to the block of `begin`. It may raise
        # SystemCallError.
        def initialize(folder, name, most, &keep)
          @folder = folder
          @name = name
          @most = most
          @keep = keep
          @size = 0
          @digest = OpenSSL::Digest.new("SHA256") if name.blob?
        end

        # body: a Request::Body, or nil if the request has no body. The block is called once: with nil when the entry is
        # stored, with a status and a text when it is not, with :lost when the client gave up. Raises SystemCallError,
        # without calling the block, when the file cannot be created.
        def begin(body, &over)
          @over = over
          @file = @folder.begin_file
          return finish if body.nil?

          body.on_lost { fail_with(:lost) }
          body.on_chunk(lent: true) { |part| take(part) }
          body.on_end { finish }
        end

        # The status and text for a system error.
        def self.failure(error)
          case error
          when *FULL then [507, "The disk is full."]
          when Errno::EISDIR then [409, "A folder has this name."]
          when *BUSY then [503, "The server is overloaded."]
          else [500, "The cache is not writable."]
          end
        end

        private

        def take(part)
          return unless @file

          @size += part.bytesize
          return fail_with([413, "More than #{@most} bytes."]) if @most && @size > @most

          @digest&.update(part)
          write(part)
        rescue SystemCallError => e
          fail_with([*Upload.failure(e), e])
        end

        # Uses write_nonblock, because IO#write would let other threads run after each part.
        def write(part)
          until part.empty?
            count = @file.write_nonblock(part)
            part = part.byteslice(count..)
          end
        end

        def finish
          return unless @file

          digest = @digest&.hexdigest
          return fail_with([422, "These bytes have the SHA-256 #{digest}."]) unless digest.nil? || digest == @name.key

          fault = @keep.call(@file)
          fault ? fail_with(fault) : kept
        rescue SystemCallError => e
          fail_with([*Upload.failure(e), e])
        end

        def kept
          @file = nil
          @over.call(nil)
        end

        def fail_with(reason)
          file, @file = @file, nil
          return if file.nil?

          @folder.drop(file)
          @over.call(reason)
        end
      end

      # Coalesces concurrent uploads of one blob: one client sends the blob; the other clients wait until it is stored
      # and need not send it. The wait for a slow client is limited.
      class Uploads
        # Seconds that a request waits for another client's upload.
        PATIENCE = 5

        # since: start of the wait in seconds, monotonic.
        Waiting = Struct.new(:since, :connection, :block)

        def initialize
          @sending = {}
        end

        # Runs the block at once when no other request uploads this key. Otherwise the block runs in a later tick of its
        # connection, when the first upload is over or the wait exceeds PATIENCE. The caller must call `over` when the
        # block's upload ends.
        def run(key, connection, &block)
          waiting = @sending[key]
          return waiting.push(Waiting.new(Server.now, connection, block)) if waiting

          @sending[key] = []
          block.call
        rescue StandardError
          over(key)
          raise
        end

        # Called when the upload of a key ends. Runs the blocks of the waiting requests.
        def over(key)
          @sending.delete(key)&.each { |one| one.connection.post { run(key, one.connection, &one.block) } }
        end

        # Called once a second.
        def every_second
          @sending.each_value.flat_map { |waiting| late(waiting) }.each { |one| one.connection.post(&one.block) }
        end

        private

        def late(waiting)
          late, others = waiting.partition { |one| Server.now - one.since >= PATIENCE }
          waiting.replace(others)
          late
        end
      end
    end
  end
end
