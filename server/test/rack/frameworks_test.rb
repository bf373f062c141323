# frozen_string_literal: true

require "test_helper"
require "json"
require "openssl"
require "support/browser"
require "support/rack_apps"

module Spate
  module Server
    # Rack::Lint, Sinatra and Rails run with the real commands: rackup, rails server and spate-serve --rack.
    class RackFrameworksTest < Minitest::Test
      APPS = File.expand_path("../support/rack_apps", __dir__)
      SERVE = File.expand_path("../../exe/spate-serve", __dir__)
      VERSIONS = %w[--http2-prior-knowledge --http1.1].freeze

      def setup
        RackApps.make
      end

      def teardown
        @server&.stop
        super
      end

      def start(name, *options, bundle: "rack-apps", &command)
        command ||= ->(port) { [RbConfig.ruby, SERVE, "--rack", File.join(APPS, name), "--port", port.to_s, *options] }
        @server = RackApps.new(folder, bundle, &command)
      end

      def address(path = "/") = "http://127.0.0.1:#{@server.port}#{path}"

      def curl(*arguments, input: "")
        told, status = Open3.capture2e("curl", "-sS", "--max-time", "20", *arguments, stdin_data: input, binmode: true)
        assert_predicate status, :success?, "#{told}\n#{File.read(@server.log)}"
        told
      end

      # Requests that Rack::Lint accepts, and their responses. Requests with a body send two lines.
      ANSWERS = {
        "array" => "array\n", "parts" => "parts\n", "many" => "many\n", "hints" => "hints\n", "errors" => "errors\n",
        "trailers" => "trailers\n", "chunked" => "chunked\n", "processes" => "false true\n",
        "file" => File.read(File.join(APPS, "lint.ru")), "partial-hijack" => "hijacked\n", "stream" => "stream\n"
      }.freeze
      BODIES = { "echo" => "ab\ncd", "lines" => "\nbadc", "gets" => "ab\n", "some" => "ab\n",
                 "rewind" => "ab\ncdab\ncd", "echo-stream" => "ab\ncd" }.freeze
      # Rack 2 has no streaming bodies, and partial hijacks only in HTTP/1.1. Rack 3 does not require rewindable input.
      NOT_IN_SECOND = { nil => %w[stream echo-stream], "--http2-prior-knowledge" => %w[partial-hijack] }.freeze
      NOT_IN_THIRD = %w[rewind].freeze

      def assert_lint(second:)
        VERSIONS.each do |version|
          left_out = second ? NOT_IN_SECOND.values_at(nil, version).flatten : NOT_IN_THIRD
          ANSWERS.except(*left_out).each do |name, answer|
            assert_equal answer, curl(version, address("/#{name}")).force_encoding("UTF-8"), "#{version} #{name}"
          end
          BODIES.except(*left_out).each do |name, answer|
            assert_equal answer, curl(version, "--data-binary", "ab\ncd", address("/#{name}")), "#{version} #{name}"
          end
          assert_match(/ 204/, curl(version, "-I", address("/none")))
          assert_match(/ 304/, curl(version, "-i", address("/head")))
          assert_match(/set-cookie: a=1\r\nset-cookie: b=2/, curl(version, "-i", address("/many")))
        end
        assert_equal "mine\n", curl("--http1.1", address("/hijack"))
        assert_equal "told\ntold\n", File.read(@server.log).lines.grep_v(/^serving/).join
      end

      def test_lint
        start("lint.ru")
        assert_lint(second: false)
      end

      def test_lint_with_rack2
        RackApps.make("rack-2")
        start("lint.ru", bundle: "rack-2")
        assert_lint(second: true)
      end

      def test_several_processes
        start("lint.ru", "--workers", "2")
        assert_equal "true true\n", curl(address("/processes"))
      end

      # The gem faye-websocket reads from the hijacked socket. The server must not parse these bytes as requests.
      def test_a_websocket
        RackApps.make("rack-2")
        start("faye.ru", bundle: "rack-2")
        TCPSocket.open("127.0.0.1", @server.port) do |socket|
          socket.write("GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n" \
                       "sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
          Timeout.timeout(20) do
            assert_match(/\AHTTP.1.1 101 .*s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=/m, socket.gets("\r\n\r\n"))
            text = "GET / HTTP/1.1\r\nhost: x\r\n\r\n"
            socket.write([0x81, 0x80 | text.bytesize, 0].pack("CCN"), text) # the mask is 0
            assert_equal [0x81, text.bytesize, *text.bytes].pack("C*"), socket.read(text.bytesize + 2)
          end
        end
      end

      def test_nodes_client
        node = ENV["PATH"].split(":").map { |folder| File.join(folder, "node") }.find { |file| File.executable?(file) }
        skip "node is not installed" unless node

        start("lint.ru")
        told, status = Open3.capture2e("timeout", "30", node, File.join(APPS, "client.mjs"), @server.port.to_s)
        assert_predicate status, :success?, told
        assert_equal({ "get" => { "status" => 200, "text" => "array\n", "trailers" => {} }, "echo" => 300_000,
                       "trailers" => "1", "many" => 100, "after" => "array\n" }, JSON.parse(told))
      end

      def test_sinatra_by_rackup
        start("sinatra.ru") do |port|
          ["bundle", "exec", "rackup", "-s", "spate", "-o", "127.0.0.1", "-p", port.to_s, "-q",
           File.join(APPS, "sinatra.ru")]
        end
        file = write("up.txt", "abc")
        VERSIONS.each do |version|
          assert_match(/<title>sinatra/, curl(version, address))
          jar = File.join(folder, "jar")
          assert_match(%r{ 30[23].*^location: #{address("/said")}\r}m, curl(version, "-i", "-c", jar, "-d", "what=hi",
                                                                            address("/say")))
          assert_equal "said hi", curl(version, "-b", jar, address("/said"))
          assert_equal "part 0\npart 1\npart 2\n", curl(version, address("/stream"))
          assert_equal "294", curl(version, "-F", "file=@#{file}", address("/upload"))
          assert_match(/ 500/, curl(version, "-i", address("/fail")))
        end
        browse("sinatra") do |browser|
          browser.evaluate("document.forms[0].submit()")
          text = "document.body?.textContent" # the body is missing during navigation
          100.times { sleep 0.1 if browser.evaluate(text) != "said hello" }
          assert_equal "said hello", browser.evaluate(text)
        end
        assert_equal 0, @server.stop
        @server = nil
      end

      def test_rails
        start("rails.ru")
        file = write("up.txt", "abc")
        VERSIONS.each do |version|
          assert_equal({ "said" => "hello", "verb" => "GET", "ssl" => false },
                       JSON.parse(curl(version, address("/json"))))
          assert_equal "data: 0\n\ndata: 1\n\ndata: 2\n\n", curl(version, address("/live"))
          assert_equal "294", curl(version, "-F", "file=@#{file}", address("/upload"))
          assert_equal File.read(File.join(APPS, "rails.ru")), curl(version, address("/file")).force_encoding("UTF-8")
          assert_match(/ 103.*link: <.a.css>.*hints\z/m, curl(version, "-i", address("/hints")))
          assert_match(/ 500/, curl(version, "-i", address("/fail")))
          assert_match(/\A[^\n]* 200.*\r\n\r\n\z/m, curl(version, "-I", address("/json")))
        end
        browse("rails") do |browser|
          20.times { sleep 0.1 if browser.evaluate("document.getElementById('said').textContent") != "hello" }
          assert_equal "hello", browser.evaluate("document.getElementById('said').textContent")
        end
      end

      # Starts an application with the layout and the command of `rails new`.
      def start_rails_server(variables, *options, host: ["-b", "127.0.0.1"])
        application, = File.read(File.join(APPS, "rails.ru")).gsub("__dir__", folder.dump).split(/^Small.initialize!/)
        write("config/application.rb", "#{application}require 'spate/server' # like Bundler.require\n")
        write("config/environment.rb", "require_relative 'application'\nRails.application.initialize!\n")
        write("config.ru",
              "require_relative 'config/environment'\nrun Rails.application\nRails.application.load_server\n")
        write("bin/rails", "APP_PATH = File.expand_path('../config/application', __dir__)\nrequire 'bundler/setup'\n" \
                           "require 'rails/commands'\n")
        start("rails.ru") do |port|
          ["env", *variables, "PORT=#{port}", "bundle", "exec", "ruby", "bin/rails", "server", *options, *host]
        end
        VERSIONS.each { |version| assert_match(/hello/, curl(version, address("/json"))) }
      end

      def test_rails_server = start_rails_server([], "-u", "spate")
      def test_rails_server_by_a_variable = start_rails_server(["RACKUP_HANDLER=spate"])

      # Returns the block's first result that is neither nil nor false.
      def await
        Timeout.timeout(60) do
          loop do
            found = yield and break found
            sleep 0.05
          end
        end
      end

      # `bin/rails restart` and the signal USR2 start the server again with the command of Rails.
      def test_rails_server_with_a_configuration_and_restarts
        write("config/puma.rb", <<~RUBY)
          threads 2, 2
          workers 2
          port ENV.fetch("PORT", 3000)
          plugin :tmp_restart
          pidfile ENV["PIDFILE"] if ENV["PIDFILE"]
          before_fork { warn "forks" }
        RUBY
        file = File.join(folder, "tmp/pids/spate.pid")
        FileUtils.mkdir_p(File.dirname(file))
        start_rails_server(["PIDFILE=#{file}"], host: [])
        first = File.read(file)
        assert_match(/forks.*serving config.ru with 2 workers on/m, File.read(@server.log))
        write("tmp/restart.txt", "")
        assert_equal 0, @server.wait # for the end of the first server
        second = await { File.exist?(file) && File.read(file) }
        refute_equal first, second
        assert_match(/hello/, curl("--http1.1", address("/json")))
        Process.kill(:TERM, second.to_i)
        await { !File.exist?(file) }
      ensure
        @server = nil if second
      end

      # HTTP/2 over TLS is negotiated by ALPN.
      def test_tls
        start("rails.ru", "--tls")
        %w[--http2 --http1.1].each do |version|
          assert_equal({ "said" => "hello", "verb" => "GET", "ssl" => true },
                       JSON.parse(curl("-k", version, secure("/json"))))
        end
        browse("rails", secure) do |browser|
          20.times { sleep 0.1 if browser.evaluate("document.getElementById('said').textContent") != "hello" }
          assert_equal "h2", browser.evaluate("performance.getEntriesByType('navigation')[0].nextHopProtocol")
          assert_equal "hello", browser.evaluate("document.getElementById('said').textContent")
        end
      end

      def test_tls_and_hijack
        start("lint.ru", "--tls")
        assert_equal "only connections of HTTP/1.1 in clear text can be hijacked",
                     curl("-k", "--http1.1", secure("/hijack"))
        assert_equal "not there", curl("-k", "--http2", secure("/hijack"))
      end

      # A tunnel with a streaming body needs no access to the socket, so it works over TLS.
      def test_tls_and_tunnel
        start("lint.ru", "--tls")
        socket = OpenSSL::SSL::SSLSocket.new(TCPSocket.new("127.0.0.1", @server.port))
        socket.sync_close = true
        socket.connect
        request = "GET /array HTTP/1.1\r\nhost: x\r\n\r\n"
        socket.write(request.sub("array", "tunnel"), request)
        told = Timeout.timeout(20) { socket.read }
        assert_match(/\AHTTP.1.1 101 .*^connection: upgrade\r\n/m, told)
        assert_equal request[0, 20].upcase, told.split("\r\n\r\n", 2).last
      ensure
        socket&.close
      end

      def secure(path = "/") = address(path).sub("http", "https")

      def browse(title, address = self.address)
        return unless Browser.program

        Browser.open do |browser|
          browser.send(:call, "Security.setIgnoreCertificateErrors", ignore: true)
          browser.visit(address)
          assert_equal title, browser.evaluate("document.title")
          yield browser
          assert_empty browser.problems.reject { |problem| problem.to_s.include?("favicon") }
        end
      end
    end
  end
end
