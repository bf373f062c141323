# frozen_string_literal: true

require "test_helper"
require "json"
require "support/browser"
require "support/rack_apps"

module Spate
  module Server
    # Rack::Lint, Sinatra and Rails behind the real programs: rackup, rails server and spate-serve --rack.
    class RackFrameworksTest < Minitest::Test
      APPS = File.expand_path("support/rack_apps", __dir__)
      SERVE = File.expand_path("../exe/spate-serve", __dir__)
      VERSIONS = %w[--http2-prior-knowledge --http1.1].freeze

      def setup
        RackApps.make
      end

      def teardown
        @server&.stop
        super
      end

      def start(name, *options, &command)
        command ||= ->(port) { [RbConfig.ruby, SERVE, "--rack", File.join(APPS, name), "--port", port.to_s, *options] }
        @server = RackApps.new(folder, &command)
      end

      def address(path = "/") = "http://127.0.0.1:#{@server.port}#{path}"

      def curl(*arguments, input: "")
        told, status = Open3.capture2e("curl", "-sS", "--max-time", "20", *arguments, stdin_data: input, binmode: true)
        assert_predicate status, :success?, "#{told}\n#{File.read(@server.log)}"
        told
      end

      def test_lint
        start("lint.ru")
        VERSIONS.each do |version|
          %w[array parts many stream hints errors trailers].each do |name|
            assert_match(/^#{name}$/, curl(version, address("/#{name}")), name)
          end
          %w[echo echo-stream].each { |name| assert_equal "a\nbc", curl(version, "-d", "a\nbc", address("/#{name}")) }
          { "lines" => "\nbadc", "gets" => "ab\n", "some" => "ab\n" }.each do |name, answer|
            assert_equal answer, curl(version, "--data-binary", "ab\ncd", address("/#{name}")), name
          end
          assert_equal "hijacked\n", curl(version, address("/partial-hijack"))
          assert_match(/ 204/, curl(version, "-I", address("/none")))
          assert_match(/set-cookie: a=1\r\nset-cookie: b=2/, curl(version, "-i", address("/many")))
        end
        assert_equal "told\ntold\n", File.read(@server.log).lines.grep_v(/^serving/).join
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
          text = "document.body?.textContent" # between two pages there is no body
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

      # A folder as `rails new` lays it out, with its own command.
      def test_rails_server
        application, = File.read(File.join(APPS, "rails.ru")).gsub("__dir__", folder.dump).split(/^Small.initialize!/)
        write("config/application.rb", application)
        write("config/environment.rb", "require_relative 'application'\nRails.application.initialize!\n")
        write("config.ru",
              "require_relative 'config/environment'\nrun Rails.application\nRails.application.load_server\n")
        write("bin/rails", "APP_PATH = File.expand_path('../config/application', __dir__)\nrequire 'bundler/setup'\n" \
                           "require 'rails/commands'\n")
        start("rails.ru") do |port|
          ["bundle", "exec", "ruby", "bin/rails", "server", "-u", "spate", "-b", "127.0.0.1", "-p", port.to_s]
        end
        VERSIONS.each { |version| assert_match(/hello/, curl(version, address("/json"))) }
      end

      # HTTP/2 by ALPN; a socket behind TLS is not given away.
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
