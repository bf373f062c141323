# frozen_string_literal: true

require "remote_cache/builds/machines"

module Spate
  # A build from a bundle at one kind of location is used at another: beside Ruby on a laptop, in vendor/bundle in CI.
  class RemotePlacesTest < MachinesCase
    # Searches files in all parent folders, as cargo does, and in Ruby's own folders.
    EXTCONF = <<~'RUBY'
      require "mkmf"
      folder = Dir.pwd
      until folder == "/"
        abort "unexpected" if File.exist?("#{folder}/.flavour")
        folder = File.dirname(folder)
      end
      File.exist?(File.join(Dir.home, ".local/share/tool"))
      File.exist?("#{RbConfig::CONFIG["rubylibprefix"]}/none")
      create_makefile("alpha/alpha")
    RUBY
    SYSTEM = { "BUNDLE_PATH" => nil, "BUNDLE_PATH__SYSTEM" => "true" }.freeze

    def test_from_a_laptop_to_ci
      archive = native_gem("alpha", { "ext/alpha/extconf.rb" => EXTCONF })
      _, entry, = made(archive, env: gem_home("first/home/.local/share/gem/ruby/own"), settings: SYSTEM)
      assert_predicate layout, :system?
      on(:second) do
        assert_kind_of RemoteCache::Builds::Offer, chosen(archive, entry, app: "deep/er/app")
        write("second/deep/er/.flavour", "")
        assert_equal ["#{folder}/second/deep/er/.flavour is new"], chosen(archive, entry, app: "deep/er/app2")
      end
    end

    def test_from_ci_to_a_laptop
      archive = native_gem("alpha", { "ext/alpha/extconf.rb" => EXTCONF })
      _, entry, = made(archive)
      on(:second) do
        env = environment(gem_home("second/home/.local/share/gem/ruby/own"))
        builder = builder("second/app", env: env, settings: SYSTEM)
        assert_predicate layout, :system?
        cache = cache(builder, env: env)
        offer = cache.choose(document(entry), key(builder, archive), places)
        assert_kind_of RemoteCache::Builds::Offer, offer, offer.inspect
      end
    end

    private

    def gem_home(path) = { "GEM_HOME" => FileUtils.mkdir_p("#{folder}/#{path}").first }
  end
end
