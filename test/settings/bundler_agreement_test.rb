# frozen_string_literal: true

require "test_helper"
require "support/rubygems_release"
require "json"

module Spate
  class Settings
    # Compares Spate with this machine's Bundler and the newest of each minor version, for the same files and
    # environment.
    class BundlerAgreementTest < Minitest::Test
      SCRIPT = <<~'RUBY'
        gem "bundler", *ARGV
        require "bundler"
        require "bundler/yaml_serializer"
        require "json"
        require "uri"
        Bundler.ui = Bundler::UI::Silent.new
        answers = JSON.parse($stdin.read).map do |question|
          ENV.replace(question["env"])
          [Gem, Bundler].each { |owner| %i[@user_home @settings].each { |name| owner.instance_variable_set(name, nil) } }
          root = Pathname.new(question["root"])
          settings = Bundler::Settings.new(root.join(".bundle"))
          Bundler.instance_variable_set(:@settings, settings)
          path = settings.path
          {
            values: question["names"].to_h { |name| [name, settings[name]] },
            names: settings.all.map { |name| name.sub("fallback_timeout/", "fallback_timeout") }, # 2.3 adds a slash
            path: path.use_system_gems? ? nil : path.explicit_path,
            mirrors: question["uris"].to_h { |uri| [uri, settings.mirror_for(uri).to_s] },
            credentials: question["uris"].to_h { |uri| [uri, settings.credentials_for(URI(uri))] },
            texts: question["texts"].map { |text| Bundler::YAMLSerializer.load(text) },
            version: Bundler::VERSION
          }
        end
        puts JSON.generate(answers)
      RUBY

      NAMES = %w[
        path path.system deployment frozen without with jobs retry timeout redirect ssl_verify_mode clean bin shebang
        build.mysql build.my-gem cache_path no_install ignore_messages ignore_messages.httparty system_bindir
        force_ruby_platform disable_shared_gems user_agent ssl_ca_cert gems.my-host.test unknown_thing trust-policy
      ].freeze
      URIS = %w[
        http://gems.test/ http://gems.test https://private.my-host.test/path/ http://one.test:8080/
        http://localhost:9292/
      ].freeze
      TEXTS = [
        "---\nBUNDLE_PATH: \"vendor/bundle\"\nBUNDLE_WITHOUT: \"development:test\"\n",
        "---\nBUNDLE_A: 'single'\nBUNDLE_B: plain text\nBUNDLE_C: \"\"\nBUNDLE_D:\n- \"one\"\n- two\nBUNDLE_E: \"x\"\n",
        "---\r\nBUNDLE_A: \"crlf\"\r\n",
        "BUNDLE_FLAGS: \"--with-a=b: c --with-d='e f'\"\nBUNDLE_URL: \"http://u:p@gems.test:80/x\"\n",
        "---\nouter:\n  inner: \"1\"\n  other:\n    deep: \"2\"\nlast: \"3\"\n",
        "", "\n\n", "garbage\n"
      ].freeze

      def question(number, local: nil, global: nil, env: {})
        write("#{number}/app/.bundle/config", local) if local
        write("#{number}/home/.bundle/config", global) if global
        root = File.join(folder, number.to_s, "app")
        FileUtils.mkdir_p([root, File.join(folder, number.to_s, "home")])
        { root: root, env: { "HOME" => File.join(folder, number.to_s, "home"), "PATH" => ENV.fetch("PATH") }.merge(env),
          names: NAMES, uris: URIS, texts: number.zero? ? TEXTS : [] }
      end

      def questions
        [
          { local: "---\nBUNDLE_PATH: \"vb\"\nBUNDLE_JOBS: \"7\"\nBUNDLE_WITHOUT: \"a:b\"\nBUNDLE_CLEAN: \"false\"\n",
            env: { "BUNDLE_PATH" => "env", "BUNDLE_RETRY" => "0", "BUNDLE_FROZEN" => "1" },
            global: "---\nBUNDLE_RETRY: \"5\"\nBUNDLE_TIMEOUT: \"33\"\nBUNDLE_UNKNOWN_THING: \"false\"\n" },
          { env: { "BUNDLE_DEPLOYMENT" => "true", "BUNDLE_WITH" => "x y", "BUNDLE_BUILD__MY___GEM" => "--a=b -c" } },
          { env: { "BUNDLE_PATH__SYSTEM" => "true" }, global: "---\nBUNDLE_PATH: \"/global\"\n" },
          { env: { "BUNDLE_PATH" => "env" }, global: "---\nBUNDLE_PATH__SYSTEM: \"true\"\n" },
          { env: { "BUNDLE_DISABLE_SHARED_GEMS" => "false" }, global: "---\nBUNDLE_PATH: \"/global\"\n" },
          { env: { "BUNDLE_DISABLE_SHARED_GEMS" => "true" } },
          { global: "---\nBUNDLE_PATH: \"/global/path\"\nBUNDLE_BIN: \"stubs\"\n" },
          { env: { "BUNDLE_USER_CONFIG" => "/nonexistent" }, global: "---\nBUNDLE_PATH: \"/global/path\"\n" },
          { env: { "BUNDLE_IGNORE_CONFIG" => "1" }, local: "---\nBUNDLE_PATH: \"vb\"\n" },
          { local: "---\nBUNDLE_MIRROR__HTTP://GEMS__TEST/: \"http://mirror.test/\"\n" \
                   "BUNDLE_GEMS__MY___HOST__TEST: \"user:pass\"\nBUNDLE_LOCAL__RACK: \"/src/rack\"\n" },
          { local: "---\nBUNDLE_MIRROR__ALL: \"http://all.test\"\n",
            env: { "BUNDLE_PRIVATE__MY___HOST__TEST" => "token", "BUNDLE_GEMS__TEST" => "u:p@" } },
          { local: "---\nBUNDLE_HTTP://ONE__TEST:8080/: \"whole:address\"\nBUNDLE_MIRROR__HTTP://GEMS__TEST: \"http://m.test\"\n",
            env: { "BUNDLE_LOCALHOST" => "local:host", "BUNDLE_" => "x", "BUNDLED" => "y" } },
          { local: "---\nBUNDLE_BUILD.MYSQL: \"--old-key\"\nBUNDLE_BUILD__MY-GEM: \"--dash\"\n" \
                   "BUNDLE_TRUST-POLICY: \"High\"\n" },
          { local: "---\nBUNDLE_MIRROR__GEMS__TEST: \"http://by-host.test\"\n" \
                   "BUNDLE_MIRROR__HTTP://ONE__TEST:8080/: \"http://127.0.0.1:1/\"\n" \
                   "BUNDLE_MIRROR__HTTP://ONE__TEST:8080/__FALLBACK_TIMEOUT: \"true\"\n" }
        ].map.with_index { |parts, number| question(number, **parts) }
      end

      def bundler(questions, release = nil)
        command = [RbConfig.ruby, "-W0", "-e", SCRIPT, *release&.bundler]
        env = { **ENV.keys.grep(/\ABUNDLE/).to_h { |key| [key, nil] }, **(release ? release.environment : {}) }
        JSON.parse(IO.popen([env, *command], "r+") do |child|
          child.write(JSON.generate(questions))
          child.close_write
          child.read
        end)
      end

      def ours(question)
        settings = Settings.load(root: question[:root], env: question[:env])
        {
          values: question[:names].to_h { |name| [name, settings[name]] }, names: settings.names,
          path: settings.install_path.explicit,
          mirrors: question[:uris].to_h { |uri| [uri, settings.mirror_for(uri)] },
          credentials: question[:uris].to_h { |uri| [uri, settings.credentials_for(uri)] },
          texts: question[:texts].map { |text| ConfigFile.parse(text) }
        }
      end

      def test_values_names_paths_mirrors_and_credentials = assert_agreement

      %w[2.3 2.6 4.0 4.1].each do |line|
        define_method("test_bundler_#{line.tr(".", "_")}") do
          release = RubygemsRelease.new(line)
          missing = release.missing and skip missing

          assert_agreement(release)
        end
      end

      def assert_agreement(release = nil)
        asked = questions
        bundler(asked, release).zip(asked).each do |theirs, question|
          assert_equal release.bundler, theirs.delete("version") if release
          found = JSON.parse(JSON.generate(ours(question)))
          found.each do |part, value|
            assert_equal [theirs.fetch(part)], [value], "#{part} of #{File.basename(File.dirname(question[:root]))}"
          end
        end
      end

      def test_comments_as_newer_bundlers_read_them
        assert_equal({ "A" => "one", "B" => "#all" }, ConfigFile.parse("A: one # why\nB: #all\n"))
        assert_equal({ "A" => [] }, ConfigFile.parse("A: []\n"))
      end
    end
  end
end
