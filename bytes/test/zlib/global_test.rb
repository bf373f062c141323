# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"
require "socket"
require "zlib"
require "support/gem_source"

module Spate
  # `require "spate/zlib/global"` replaces the constant Zlib in programs, before or after they load Ruby's zlib.
  class ZlibGlobalTest < Minitest::Test
    LIB = File.expand_path("../../lib", __dir__)

    def ruby(*arguments, env: {})
      out, status = Open3.capture2e(env, RbConfig.ruby, "-I#{LIB}", *arguments)
      assert status.success?, out
      out
    end

    # Fails if Zlib was not replaced, or if the stock library is mapped into the process.
    CHECK = 'abort "not replaced" unless Zlib.equal?(Spate::Zlib); ' \
            "maps = File.read('/proc/self/maps').lines.grep(%r{/zlib\\.so}).reject { |l| l.include?('spate') }; " \
            "abort maps.join unless maps.empty?"

    def test_loaded_first
      ruby("-rspate/zlib/global", "-e", "require 'zlib'; require 'zlib.so'; load_error = nil; #{CHECK}")
      ruby("--disable-gems", "-rspate/zlib/global", "-e", "require 'zlib'; #{CHECK}")
      ruby("-rspate/zlib/global", "-e", "gem 'zlib'; require 'zlib'; #{CHECK}")
      ruby("-rspate/zlib/global", "-e", "require 'spate/zlib/global'; require 'spate/zlib'; #{CHECK}")
    end

    def test_loaded_later
      out = ruby("-rzlib", "-e", <<~RUBY)
        stock = Zlib
        stream = Zlib::Deflate.new
        require "spate/zlib/global"
        require "zlib"
        abort unless Zlib.equal?(Spate::Zlib) && Spate::Zlib.replaced.equal?(stock)
        begin
          Zlib.inflate("no")
        rescue Zlib::Error => e
          puts e.class
        end
        puts Zlib.inflate(stream.deflate("of the old one", Zlib::FINISH))
      RUBY
      assert_equal "Spate::Zlib::DataError\nof the old one\n", out
    end

    # Tools that resolve features themselves, such as bootsnap, require the absolute path.
    def test_require_by_absolute_path
      ruby("-rspate/zlib/global", "-e", <<~RUBY)
        path = $LOADED_FEATURES.grep(%r{/zlib\\.so\\z}).reject { |feature| feature.include?("spate") }.first
        abort "no path" unless path && File.exist?(path)
        require path
        #{CHECK}
      RUBY
    end

    def test_gem_install_and_unpack
      source = GemSource.start
      source.add("small", "1.0")
      home = File.join(folder, "gems")
      watch = write("watch.rb", "require 'spate/zlib/global'\nat_exit { #{CHECK}; puts \"replaced \#{Zlib.name}\" }\n")
      out = ruby("-r#{watch}", "-S", "gem", "install", "small", "--clear-sources", "--source", source.url, "-i", home,
                 "--no-document", "--norc", env: { "HOME" => folder, "GEM_HOME" => home, "GEM_SPEC_CACHE" => folder })
      assert_match(/1 gem installed\s+replaced Spate::Zlib/, out)
      assert_path_exists File.join(home, "gems/small-1.0")
      out = ruby("-r#{watch}", "-S", "gem", "unpack", "--norc", File.join(home, "cache/small-1.0.gem"),
                 "--target", folder, env: { "HOME" => folder, "GEM_HOME" => home })
      assert_match(/Unpacked gem.*replaced Spate::Zlib/m, out)
    ensure
      source&.stop
    end

    def test_net_http
      server = TCPServer.new("127.0.0.1", 0)
      answers = Thread.new { %w[gzip deflate].each { |coding| answer(server.accept, coding) } }
      out = ruby("-rspate/zlib/global", "-rnet/http", "-e", <<~RUBY)
        2.times do
          response = Net::HTTP.get_response(URI("http://127.0.0.1:#{server.addr[1]}/"))
          puts [response["content-encoding"].inspect, response.body.bytesize, response.body[0, 5]].join(" ")
        end
        #{CHECK}
      RUBY
      assert_equal "nil 50000 text \n" * 2, out
      answers.join
    ensure
      server&.close
    end

    def answer(socket, coding)
      nil until socket.gets == "\r\n"
      body = coding == "gzip" ? ::Zlib.gzip("text " * 10_000) : ::Zlib.deflate("text " * 10_000)
      socket.write("HTTP/1.1 200 OK\r\nContent-Encoding: #{coding}\r\nContent-Length: #{body.bytesize}\r\n" \
                   "Connection: close\r\n\r\n#{body}")
      socket.close
    end
  end
end
