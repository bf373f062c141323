# frozen_string_literal: true

require "test_helper"
require "socket"
require "support/gem_source"
require "spate"

module Spate
  # Which hosts and proxies are contacted, and which credentials they get.
  class RegistryCredentialsTest < Minitest::Test
    Package = Struct.new(:name, :version, :platform, :source, :sha256, :content_address) do
      def full_name = "#{name}-#{version}"
    end
    SECRET = "s3cret"

    def teardown
      @client&.close
      @open&.each(&:stop)
      super
    end

    def test_credentials_from_settings_environment_netrc_and_gemfile
      source = serve(userinfo: "me:#{SECRET}")
      write(".netrc", "# mine\nmachine localhost login me password \"#{SECRET}\"\n", mode: 0o600)
      write("loose/.netrc", "machine localhost login me password #{SECRET}\n", mode: 0o644)

      assert_fetched source, "BUNDLE_LOCALHOST" => "me:#{SECRET}"
      assert_fetched source
      assert_fetched source, "HOME" => "/nonexistent", sources: [source.url(userinfo: "me:#{SECRET}")]
      error = assert_raises(Spate::HTTP::CredentialsRequired) { fetch(source, "HOME" => File.join(folder, "loose")) }
      assert_includes error.hint, "bundle config set --global localhost USER:PASSWORD"
      assert_match(/mode 0644/, @warnings.join)
    end

    def test_refused_credentials_are_not_shown
      source = serve(userinfo: "me:right")
      error = assert_raises(Spate::HTTP::CredentialsRefused) { fetch(source, "BUNDLE_LOCALHOST" => "me:#{SECRET}") }

      assert_includes error.message, "the setting localhost"
      refute_includes "#{error.message}#{error.hint}", SECRET
      assert_equal 1, source.requests.size
    end

    def test_escaped_credentials_are_sent_plain
      source = serve(userinfo: "me@work:a/b%c")

      assert_fetched source, "BUNDLE_LOCALHOST" => "me%40work:a%2Fb%25c"
    end

    def test_redirects_send_credentials_only_to_their_host
      storage = serve
      source = serve(userinfo: "me:#{SECRET}")
      source.fault(%r{/gems/}, :redirect, to: "http://127.0.0.1:#{storage.port}{path}")

      assert_fetched source, "BUNDLE_LOCALHOST" => "me:#{SECRET}"
      assert_equal [nil], storage.requests.map { |request| request.headers["authorization"] }
    end

    def test_redirects_on_the_same_host_keep_credentials
      source = serve(userinfo: "me:#{SECRET}")
      source.fault(%r{\A/gems/}, :redirect, to: "/elsewhere/../gems/alpha-1.0.gem?again", times: 1)

      assert_fetched source, "BUNDLE_LOCALHOST" => "me:#{SECRET}"
    end

    def test_redirects_are_limited
      source = serve
      source.fault(%r{/gems/}, :redirect, to: "{path}")
      error = assert_raises(Spate::HTTP::TooManyRedirects) { fetch(source) }

      assert_match(/more than 5 times/, error.message)
      assert_equal 6, source.requests.size
    end

    def test_tls_with_a_private_authority
      authority = GemSource::Authority.new(folder)
      source = serve(tls: authority)

      assert_raises(Spate::HTTP::Untrusted) { fetch(source) }
      assert_fetched source, "BUNDLE_SSL_CA_CERT" => authority.ca_file
      assert_fetched source, "BUNDLE_SSL_CA_CERT" => authority.ca_folder
      assert_fetched source, "BUNDLE_SSL_VERIFY_MODE" => "0"
      write(".gemrc", ":ssl_ca_cert: #{authority.ca_file}\n")
      assert_fetched source
    end

    def test_ssl_cert_file_as_openssl_reads_it
      authority = GemSource::Authority.new(folder)
      source = serve(tls: authority)
      script = <<~RUBY
        require "spate"
        Package = Struct.new(:name, :version, :platform, :full_name, :source, :sha256, :content_address)
        client = Spate::Registry::Client.new(settings: Spate::Settings.load(root: "/"), home: #{folder.dump})
        client.fetch(Package.new("alpha", "1.0", "ruby", "alpha-1.0", #{source.url.dump}), to: #{target.dump})
      RUBY

      assert system({ "SSL_CERT_FILE" => authority.ca_file }, RbConfig.ruby, "-I", "lib", "-e", script)
      assert_path_exists target
    end

    def test_client_certificates
      authority = GemSource::Authority.new(folder)
      source = serve(tls: authority, client_certificate: true)
      trust = { "BUNDLE_SSL_CA_CERT" => authority.ca_file }

      assert_raises(Spate::HTTP::Error) { fetch(source, trust.merge("BUNDLE_RETRY" => "0")) }
      assert_fetched source, trust.merge("BUNDLE_SSL_CLIENT_CERT" => authority.client_file)
    end

    def test_from_https_to_http_is_refused
      authority = GemSource::Authority.new(folder)
      plain = serve
      source = serve(tls: authority)
      source.fault(%r{/gems/}, :redirect, to: "#{plain.url.chomp("/")}{path}")

      assert_raises(Spate::HTTP::InsecureRedirect) { fetch(source, "BUNDLE_SSL_CA_CERT" => authority.ca_file) }
      assert_empty plain.requests
    end

    NOWHERE = ["file:///etc/passwd", "file://localhost/etc/passwd", "FILE:/etc/passwd", "ftp://localhost/x.gem",
               "ldap://localhost/x", "data:text/plain,gem", "javascript:alert(1)", "mailto:me@localhost",
               "s3://me:#{SECRET}@bucket/x.gem", "ws://localhost/x", "http:x.gem", "https:", "http:///x.gem",
               "http://local host/", "\\\\host\\share", "http://[::1/"].freeze

    def test_redirect_to_another_scheme_is_refused
      [serve, serve(tls: authority = GemSource::Authority.new(folder))].each do |source|
        NOWHERE.each do |target|
          source.clear_faults
          source.fault(%r{/gems/}, :redirect, to: target)
          error = assert_raises(Spate::HTTP::Misdirected, target) do
            fetch(source, BUNDLE_SSL_CA_CERT: authority.ca_file)
          end

          assert_match(/redirects to .*, expected http or https/, error.message)
          refute_includes error.message, SECRET
          assert_equal 6, error.exit_code
        end
      end
      refute_path_exists target
    end

    def test_proxies_for_both_schemes_with_credentials_and_exceptions
      authority = GemSource::Authority.new(folder)
      source = serve
      secure = serve(tls: authority)
      proxy = GemSource::Proxy.new(hosts: { "gems.test" => source.port, "secure.gems.test" => secure.port },
                                   userinfo: "agent:#{SECRET}").start
      (@open ||= []) << proxy

      assert_equal "http://gems.test/", fetch("http://gems.test/", "http_proxy" => proxy.url).source
      assert_equal ["GET http://gems.test/gems/alpha-1.0.gem"], proxy.requests
      fetch("https://secure.gems.test/", "https_proxy" => proxy.url, "BUNDLE_SSL_CA_CERT" => authority.ca_file)
      assert_includes proxy.requests, "CONNECT secure.gems.test:443"
      proxy.requests.clear
      fetch("https://secure.gems.test/", "http_proxy" => proxy.url, "BUNDLE_SSL_CA_CERT" => authority.ca_file)
      assert_equal ["CONNECT secure.gems.test:443"], proxy.requests
      proxy.requests.clear
      fetch(source, "http_proxy" => proxy.url, "no_proxy" => "example.test,localhost")
      assert_empty proxy.requests
      write(".gemrc", "http_proxy: #{proxy.url}\n")
      fetch("http://gems.test/")
      assert_equal 1, proxy.requests.size
    end

    def test_refusing_proxy_is_reported_without_the_password
      proxy = GemSource::Proxy.new(userinfo: "agent:right").start
      (@open ||= []) << proxy
      error = assert_raises(Spate::HTTP::Error) { fetch("http://gems.test/", "http_proxy" => proxy.url(userinfo: "agent:#{SECRET}")) }

      assert_match(/407/, error.message)
      refute_includes error.message, SECRET
    end

    def test_mirror_is_queried_with_its_own_credentials
      mirror = serve(userinfo: "me:#{SECRET}")
      result = fetch("http://gems.test/", "BUNDLE_MIRROR__HTTP://GEMS__TEST/" => mirror.url(userinfo: "me:#{SECRET}"))

      assert_equal "http://gems.test/", result.source
      assert_equal "http://gems.test/", mirror.requests.first.headers["x-gemfile-source"]
    end

    def test_unreachable_mirror_falls_back
      source = serve
      dead = TCPServer.new("127.0.0.1", 0).tap(&:close_read)
      gone = "http://localhost:#{dead.addr[1]}/"
      dead.close
      fetch(source, "BUNDLE_MIRROR__ALL" => gone, "BUNDLE_MIRROR__ALL__FALLBACK_TIMEOUT" => "1")

      assert_equal 1, source.requests.size
    end

    def test_unreachable_source_is_reported_without_credentials
      closed = TCPServer.new("127.0.0.1", 0).then { |server| server.addr[1].tap { server.close } }
      error = assert_raises(Spate::HTTP::Unreachable) do
        fetch("http://localhost:#{closed}/", { "BUNDLE_RETRY" => "1" }, sources: ["http://me:#{SECRET}@localhost:#{closed}/"])
      end

      assert_match(/Connection refused/, error.message)
      refute_includes error.message, SECRET
    end

    def test_file_sources
      gems = serve.catalog.folder
      FileUtils.mkdir_p(File.join(folder, "a source", "gems"))
      FileUtils.cp(File.join(gems, "alpha-1.0.gem"), File.join(folder, "a source", "gems"))

      assert_equal @sha256, fetch("file://#{folder}/a%20source/").sha256
    end

    private

    def serve(**options)
      GemSource.start(**options).tap do |source|
        (@open ||= []) << source
        @sha256 = source.add("alpha", "1.0").sha256
      end
    end

    def assert_fetched(source, env = {}, **options)
      assert_equal @sha256, fetch(source, env, **options).sha256
    end

    def fetch(source, env = {}, **options)
      options, env = [{ sources: options.delete(:sources) || [] }, env.merge(options)]
      env = { "HOME" => folder, "BUNDLE_TIMEOUT" => "5" }.merge(env.transform_keys(&:to_s))
      @warnings = []
      events = Events.new.subscribe { |event| @warnings << event[:message] if event[:event] == :warning }
      @client = Registry::Client.new(settings: Settings.load(root: folder, env: env), env: env, events: events,
                                     home: File.join(folder, "home"), retry_base: 0.01, **options)
      address = source.is_a?(String) ? source : source.url
      @client.fetch(Package.new("alpha", "1.0", "ruby", address, @sha256), to: target)
    ensure
      @client&.close
    end

    def target = File.join(folder, "alpha.gem")
  end
end
