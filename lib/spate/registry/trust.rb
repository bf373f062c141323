# frozen_string_literal: true

module Spate
  module Registry
    # Decides which answers of a source count for other applications. Answers (the archive of a name, pages of the
    # index) are kept for all projects of the machine, under a domain: a digest of everything that decides which servers
    # could have answered, how the request identified itself, and what was checked. Other settings mean another domain.
    # New settings of this kind belong here and nowhere else.
    class Trust
      # Bytes of a secret.
      SECRET = 32

      # home: Spate's folder.
      def initialize(settings:, proxy:, certificates:, home:)
        @settings = settings
        @proxy = proxy
        @certificates = certificates
        @home = home
      end

      # Hex. source: as the lockfile writes it; address: what is asked for it (a mirror's, maybe); both without
      # credentials. userinfo: "user:password" or nil.
      def domain(source, address, userinfo: nil)
        parts = ["domain 1", address, source, @settings[:user_agent], !sums_count?, *way(address), person(userinfo)]
        Store.sha256(parts.map { |part| part.nil? ? "-\n" : "#{part.to_s.bytesize}\n#{part}\n" }.join)
      end

      # Whether checksums in an index count.
      def sums_count? = !@settings.bool(:disable_checksum_validation)

      private

      # The identity of the server that answers for the address: its certificate; without TLS, the proxy, since every
      # host on the way could answer.
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

      # Passwords could be tried against a plain digest in a shared store.
      def person(userinfo) = userinfo && Store.sha256("#{secret}#{userinfo}")

      # A random text of this user's, also in a team's store. If none can be kept, the next run asks again what it needs
      # credentials for.
      def secret
        @secret ||= begin
          path = File.join(@home, "secret-#{Process.euid}")
          read_secret(path) || make_secret(path) || raise(Errno::ENOENT, path)
        end
      rescue SystemCallError
        @secret = Random.urandom(SECRET)
      end

      # nil if there is none, if a power loss cut it off, or if another user put it there.
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

      # If two processes make one, the first counts.
      def make_secret(path)
        Util::Files.make_folder(@home, 0o755) # as the store's own
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
