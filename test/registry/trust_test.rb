# frozen_string_literal: true

require "test_helper"
require "spate"
require "tmpdir"

module Spate
  class TrustTest < Minitest::Test
    def setup
      @folder = Dir.mktmpdir
      @home = File.join(@folder, "cache", "spate")
    end

    def teardown
      FileUtils.rm_rf(@folder)
    end

    # Determines the trust domain from files only, like a new process.
    def domain(address = "https://name:password@gems.test/", **env)
      env = { "HOME" => @folder, **env.transform_keys(&:to_s) }
      Registry::Remotes.new(settings: Settings.load(root: @folder, env: env), env: env, home: @home).for(address).domain
    end

    def secret = File.join(@home, "secret-#{Process.euid}")

    def test_credentials_keep_the_same_domain_from_the_first_run_on
      assert_equal [domain] * 2, [domain, domain]
      assert_equal 0o600, File.stat(secret).mode & 0o777
      refute_equal domain, domain("https://name:other@gems.test/")
      assert_equal [File.basename(secret)], Dir.children(@home)
    end

    def test_no_secret_is_made_without_credentials
      domain("https://gems.test/")
      refute_path_exists @home
    end

    # A power failure may leave an empty file. In a shared folder, a team member may write a known secret.
    def test_invalid_secret_is_replaced
      FileUtils.mkdir_p(@home)
      ["", "short", "x" * 100].each do |text|
        File.binwrite(secret, text)
        assert_equal [domain], [domain].uniq
        assert_equal 32, File.size(secret)
        refute_equal text, File.binread(secret)
      end
      FileUtils.rm(secret)
      known = File.join(@folder, "known")
      File.binwrite(known, "k" * 32)
      File.symlink(known, secret)
      domain
      assert_equal "k" * 32, File.binread(known)
    end

    # OpenSSL finds certificates by their names, and reads no other file of the folder.
    def test_certificates_of_a_folder_count_by_name_and_content
      certificates = FileUtils.mkdir_p("#{@folder}/certs").first
      one = "#{certificates}/0123abcd.0"
      found = -> { domain("https://gems.test/", SSL_CERT_DIR: certificates) }
      domains = [found.call]
      [-> { File.write(one, "one") }, -> { File.write(one, "two") },
       -> { File.rename(one, "#{certificates}/0123abcd.1") },
       -> { File.write("#{certificates}/0123abcd.r0", "revoked") }].each do |change|
        change.call
        domains << found.call
      end
      assert_equal domains.uniq, domains
      File.write("#{certificates}/one.pem", "one")
      assert_equal domains.last, found.call
    end

    def test_each_user_of_a_store_has_a_secret
      FileUtils.mkdir_p(@home)
      skip "needs root" unless Process.euid.zero?

      File.binwrite(secret, "k" * 32)
      File.chown(12_345, nil, secret)
      assert_equal domain, domain
      refute_equal "k" * 32, File.binread(secret)
    end
  end
end
