# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"

module Spate
  module Server
    # On a machine without the headers of libssl the extension still compiles, and TLS reports what is missing.
    class TLSMissingTest < Minitest::Test
      ROOT = File.expand_path("../../..", __dir__)
      SCRIPT = "begin; Spate::Server::Connection::TLS.load; " \
               "rescue Spate::Server::Error => e; puts e.class, e.message, e.hint; end"

      def test_without_libssl
        write("nothing/keep", "")
        write("spate/server/native/keep", "")
        extconf = File.join(ROOT, "server/ext/tls/extconf.rb")
        build = "#{RbConfig.ruby} #{extconf} && make && cp tls.so spate/server/native"
        out, status = Open3.capture2e({ "PKG_CONFIG_LIBDIR" => File.join(folder, "nothing") }, build, chdir: folder)
        assert_predicate status, :success?, out
        assert_match(/found no libssl.*apt-get install libssl-dev/m, out)
        paths = [folder, *%w[server/lib bytes/lib].map { |path| File.join(ROOT, path) }].map { |path| "-I#{path}" }
        out, = Open3.capture2e(RbConfig.ruby, *paths, "-rspate/server", "-e", SCRIPT)
        assert_match(
          /\ASpate::Server::Connection::TLS::Error\nTLS is unavailable: libssl was missing.*\ninstall .*libssl-dev/, out
        )
      end
    end
  end
end
