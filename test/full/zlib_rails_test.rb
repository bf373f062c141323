# frozen_string_literal: true

require "test_helper"
require "fileutils"
require "support/boot_rails"

module Spate
  # `require "spate/zlib/global"` in a Rails application: its responses, helpers and cache use it.
  class ZlibRailsTest < Minitest::Test
    LIB = File.expand_path("../../bytes/lib", __dir__)

    PROGRAM = <<~'RUBY'
      require "spate/zlib/global"
      require_relative "config/application"
      require "rack/mock"
      Rails.application.config.middleware.insert_before(0, Rack::Deflater)
      Rails.application.config.hosts&.clear
      Rails.application.initialize! unless Rails.application.initialized?
      streaming = ->(_) { [200, { "content-type" => "text/plain" }, Enumerator.new { |out| 20.times { |i| out << "part #{i} " * 40 } }] }
      [Rails.application, Rack::Deflater.new(streaming)].each do |app|
        request = Rack::MockRequest.env_for("http://localhost/notes", "HTTP_ACCEPT_ENCODING" => "gzip")
        status, headers, body = app.call(request)
        text = +""
        body.each { |part| text << part }
        body.close if body.respond_to?(:close)
        coding = headers["content-encoding"] || headers["Content-Encoding"]
        puts "#{status.to_i > 0} #{coding} #{Zlib.gunzip(text).bytesize > 0}"
      end
      puts ActiveSupport::Gzip.decompress(ActiveSupport::Gzip.compress("x" * 1000)).bytesize
      cache = ActiveSupport::Cache::MemoryStore.new(compress: true, compress_threshold: 10)
      cache.write("a", "y" * 5000)
      puts cache.read("a").size
      puts Zlib.name, File.read("/proc/self/maps").lines.grep(%r{/zlib\.so}).all? { |line| line.include?("spate") }
    RUBY

    def test_answers_helpers_and_cache
      app = BootRails.shared
      app.write("through_zlib.rb", PROGRAM)
      result = app.run("bundle", "exec", "ruby", "-W0", "-I#{LIB}", "through_zlib.rb")
      assert_equal 0, result.code, result.err
      assert_equal "true gzip true\ntrue gzip true\n1000\n5000\nSpate::Zlib\ntrue\n", result.out
    ensure
      FileUtils.rm_f(app.path("through_zlib.rb")) if app
    end
  end
end
