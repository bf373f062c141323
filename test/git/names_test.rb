# frozen_string_literal: true

require "test_helper"
require "spate"
require "bundler"

module Spate
  # The folders of repositories and checkouts must have the same names as with the Bundler that boots the application.
  class GitNamesTest < Minitest::Test
    URIS = %w[
      https://git.test/rack/rack.git https://git.test/rack/rack https://GIT.test/rack/rack.git/ http://git.test:8080/a.git
      git@git.test:rack/rack.git git@git.test:rack.git git://git.test/a-b/c.d.git ssh://git@git.test/x/y.git
      file:///srv/git/my-gem /srv/git/my-gem.git ../relative/gem https://git.test/~me/tool.git git.test:tool
    ].freeze

    def test_names_agree_with_bundler
      revision = "0123456789abcdef0123456789abcdef01234567"
      URIS.each do |uri|
        source = Bundler::Source::Git.new("uri" => uri.delete_suffix("/"), "revision" => revision)

        assert_equal source.extension_dir_name, Names.checkout(uri, revision), uri
        assert_equal source.send(:git_scope), Names.clone(uri), uri
      end
    end

    def test_addresses_in_checkouts_agree_with_bundler
      require "bundler/uri_credentials_filter"
      proxy = Bundler::Source::Git::GitProxy.instance_method(:copy_to).source_location.first
      skip "this Bundler leaves no address in a checkout" unless File.read(proxy).include?('"set-url"')

      (URIS + %w[https://user:secret@git.test/x https://token:x-oauth-basic@git.test/x https://token:x@git.test/x
                 https://token@git.test/x]).each do |uri|
        assert_equal Bundler::URICredentialsFilter.credential_filtered_uri(uri), Names.without_password(uri), uri
      end
    end

    Names = Git::Names
  end
end
