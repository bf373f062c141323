# frozen_string_literal: true

module Spate
  module Server
    class Connection
      class TLS < Transport
        # A self-signed certificate for localhost, created once and used as long as it is valid. If it cannot be stored,
        # it is only used by this process.
        class SelfSigned
          autoload :Maker, "spate/server/connection/tls/self_signed/maker"

          NAME = "localhost"
          # Seconds of remaining validity. A certificate that expires sooner is replaced.
          LEFT = 86_400

          # The folder next to Spate's store in the user's cache folder; nil without a cache folder.
          def self.folder(env = ENV)
            named = env["SPATE_HOME"].to_s
            return (File.join(named, "server/tls") if named.start_with?("/")) unless named.empty?

            cache, home = env.values_at("XDG_CACHE_HOME", "HOME").map { |path| path if path&.start_with?("/") }
            File.join(cache || File.join(home || Dir.home, ".cache"), "spate/server/tls")
          rescue ArgumentError
            nil # in containers the user id may be missing from /etc/passwd
          end

          # Path of the certificate, or nil when the certificate could not be stored.
          attr_reader :certificate

          def initialize(folder)
            @folder = folder
          end

          def self_signed? = true

          # Yields a stored or new certificate and its key as PEM, and returns the context that the block creates.
          def context(&making)
            return in_memory(&making) unless @folder

            kept { read(&making) || make(&making) }
          rescue SystemCallError
            in_memory(&making)
          rescue LoadError => e
            raise Error.new("no certificate can be generated: #{e.message.lines.first.chomp}",
                            hint: "this Ruby has no openssl; name a certificate: --cert FILE --key FILE")
          end

          private

          # Holds a lock, so that another process cannot replace the certificate or the key in between.
          def kept
            require "fileutils"
            FileUtils.mkdir_p(@folder, mode: 0o700)
            File.open(path("lock"), File::RDWR | File::CREAT | File::NOFOLLOW, 0o600) do |lock|
              lock.flock(File::LOCK_EX)
              yield.tap { @certificate = path("crt") }
            end
          end

          def path(extension) = File.join(@folder, "#{NAME}.#{extension}")

          # Returns nil when the stored certificate cannot be used: it is missing, belongs to another user, is readable
          # by other users, has expired or expires soon.
          def read
            state = File.lstat(path("key"))
            return unless state.file? && state.owned? && state.mode & 0o077 == 0

            context = yield(File.binread(path("crt")), File.binread(path("key")))
            context if Time.now.to_i.between?(context.not_before, context.not_after - LEFT)
          rescue Errno::ENOENT, Native::TLSContext::Unusable
            nil
          end

          def make
            certificate, key = Maker.new(NAME).make
            write("key", key, 0o600)
            write("crt", certificate, 0o644)
            yield(certificate, key)
          end

          def write(extension, text, mode)
            fresh = "#{path(extension)}.#{Process.pid}"
            File.delete(fresh) if File.exist?(fresh)
            File.open(fresh, File::WRONLY | File::CREAT | File::EXCL, mode) { |file| file.write(text) }
            File.rename(fresh, path(extension))
          end

          def in_memory
            @certificate = nil
            @pair ||= Maker.new(NAME).make
            yield(*@pair)
          end
        end
      end
    end
  end
end
