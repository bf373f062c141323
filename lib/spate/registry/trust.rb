# frozen_string_literal: true

module Spate
  module Registry
    # Decides which responses of a source can be used for other applications. Responses (checksums of gems, pages of the
    # index) are stored for all projects of the machine under a domain. A domain is a digest of all settings that affect
    # which servers could have responded, how the request was authenticated, and what was verified. New settings of this
    # kind must be added here.
    class Trust
      # The size of a secret in bytes.
      SECRET = 32

      # home: Spate's folder.
      def initialize(settings:, proxy:, certificates:, home:)
        @settings = settings
        @proxy = proxy
        @certificates = certificates
        @home = home
      end

      # The domain in hex. source: as written in the lockfile. address: the address for requests (perhaps a mirror's).
      # Both are without credentials. userinfo: "user:password" or nil.
      def domain(source, address, userinfo: nil)
        parts = ["domain 1", address, source, @settings[:user_agent], !sums_count?, *way(address), person(userinfo)]
        Store.sha256(parts.map { |part| part.nil? ? "-\n" : "#{part.to_s.bytesize}\n#{part}\n" }.join)
      end

      # Whether checksums in an index are used.
      def sums_count? = !@settings.bool(:disable_checksum_validation)

      private

      # The settings that authenticate the server: those for certificates or, without verified TLS, the proxy, since any
      # host on the route could respond.
      def way(address)
        secure = address.start_with?("https:")
        facts = secure ? @certificates.facts : []
        secure && @certificates.verify? ? facts : [*facts, proxy(address)]
      end

      def proxy(address)
        return unless @proxy.any?

        require "uri"
        found = @proxy.for(URI(address))
        found && "#{found.host}:#{found.port} #{person(found.userinfo)}"
      end

      # A digest of the credentials. It includes the secret, since passwords could be guessed from a plain digest in a
      # shared store.
      def person(userinfo) = userinfo && Store.sha256("#{secret}#{userinfo}")

      # Random bytes, different for each user of a team's store. If they cannot be stored, the next run repeats requests
      # that need credentials.
      def secret
        @secret ||= begin
          path = File.join(@home, "secret-#{Process.euid}")
          read_secret(path) || make_secret(path) || raise(Errno::ENOENT, path)
        end
      rescue SystemCallError
        @secret = Random.urandom(SECRET)
      end

      # nil if the file is missing, was truncated by a power loss, or belongs to another user.
      def read_secret(path)
        File.open(path, File::RDONLY | File::NOFOLLOW | File::NONBLOCK) do |file|
          text = file.read(SECRET + 1) if file.stat.file? && file.stat.owned?
          return text if text&.bytesize == SECRET
        end
        File.unlink(path)
        nil
      rescue Errno::ENOENT
        nil
      end

      # If two processes create a secret, the first one is used.
      def make_secret(path)
        Util::Files.make_folder(@home, 0o755) # like the store's own folders
        temporary = Util::Files.beside(path)
        File.open(temporary, File::WRONLY | File::CREAT | File::EXCL, 0o600) { |file| file << Random.urandom(SECRET) }
        File.link(temporary, path)
        read_secret(path)
      rescue Errno::EEXIST
        read_secret(path)
      ensure
        File.unlink(temporary) if temporary && File.exist?(temporary)
      end
    end
  end
end
