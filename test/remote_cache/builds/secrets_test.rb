# frozen_string_literal: true

require "remote_cache/builds/machines"

module Spate
  # A build is not sent if its inputs or files contain a secret: a variable with a suspicious name, a password of the
  # settings, or a private file.
  class SecretsTest < MachinesCase
    SECRET = %w[NPM_TOKEN GITHUB_TOKEN my_secret PGPASSWORD MYSQL_PWD AWS_SECRET_ACCESS_KEY DEPLOY_KEY RAILS_MASTER_KEY
                APIKEY SENTRY_DSN BASIC_AUTH GOPRIVATE DB_PASS].freeze
    PLAIN = %w[CFLAGS KEYBOARD MONKEY AUTHOR PATH_TO_X COMPASS PASSENGER_X TOKYO PKG_CONFIG_PATH CC].freeze

    def test_names_that_look_secret
      SECRET.each { |name| assert_match(/variable #{name}, which/, doubt(variable(name)).to_s) }
      PLAIN.each { |name| assert_nil doubt(variable(name)), name }
      assert_nil doubt([:environment, nil, "NPM_TOKEN", {}]), "an unset variable does not count"
    end

    def test_values_that_are_secret_under_another_name
      secrets = { "FLAVOUR" => "hunter2", "NPM_TOKEN" => "hunter2" }
      assert_match(/FLAVOUR/, doubt(variable("FLAVOUR", "hunter2"), secrets).to_s)
      assert_nil doubt(variable("FLAVOUR", "vanilla"), secrets)
      proxy = { "http_proxy" => "http://me:hunter2@proxy.test:3128" }
      assert_match(/http_proxy/, doubt(variable("http_proxy", proxy["http_proxy"]), proxy).to_s)
      assert_match(/OTHER/, doubt(variable("OTHER", "hunter2"), proxy).to_s)
      credentials = { "BUNDLE_GEMS__ACME__TEST" => "me:hunter2" }
      ["me:hunter2", "hunter2"].each do |value|
        assert_match(/OTHER/, doubt(variable("OTHER", value), {}, credentials).to_s)
      end
      assert_nil doubt(variable("OTHER", "--with-x"), {}, "BUNDLE_BUILD__ALPHA" => "--with-x")
    end

    def test_files_of_the_home_that_hold_passwords
      %w[.netrc .npmrc .aws/credentials .cargo/credentials.toml .ssh/id_rsa .pgpass secrets/x.pem].each do |path|
        assert_match(/read ~/, doubt([:file, "home", path, {}]).to_s, path)
      end
      assert_nil doubt([:file, nil, "/usr/include/key.h", {}]), "files of the system are public"
    end

    def test_private_file_of_the_home_is_a_secret_except_for_those_of_tools
      home = "/home/me"
      said = ->(path) { secrets({}).personal([[:file, "home", path, {}]], home, ["#{home}/.rbenv/versions/3", "/usr"]) }
      [".docker/config.json", ".gitconfig", "notes", ".cargo/credentials.toml"].each do |path|
        assert_equal "it read ~/#{path}, which may be private", said.call(path)
      end
      [".rbenv/versions/3/include/ruby.h", ".ccache/ccache.conf"].each { |path| assert_nil said.call(path), path }
      assert_nil secrets({}).personal([[:absent, "home", ".gemrc", {}], [:file, nil, "/etc/x", {}]], home, [])
    end

    def test_each_password_of_several_addresses
      mirrors = { "MIRRORS" => "https://me:first-pass@a.test,https://me:second-pass@b.test https://token-three@c.test" }
      %w[first-pass second-pass token-three].each do |value|
        assert_match(/OTHER/, doubt(variable("OTHER", value), mirrors).to_s)
      end
    end

    def test_a_secret_in_the_target_of_a_link_or_in_a_name
      archive = native_gem("alpha", { "ext/alpha/extconf.rb" => <<~'RUBY' })
        require "mkmf"
        value = IO.popen(["cat", "/proc/#{Process.pid}/environ"], &:read)[/hunter2-hunter2/]
        File.symlink(value, "../../lib/link")
        create_makefile("alpha/alpha")
      RUBY
      said = "a file name in it contains the value of a secret"
      assert_equal said, offered(archive, { "DEPLOY_TOKEN" => "hunter2-hunter2" })
      watched = secrets("DEPLOY_TOKEN" => "hunter2-hunter2")
      assert_equal said, watched.refusal_of_texts([{ path: "lib/hunter2-hunter2.rb", target: nil }], [])
      assert_equal said, watched.refusal_of_texts([], ["removed\tlib/hunter2-hunter2"])
      assert_nil watched.refusal_of_texts([{ path: "lib/a.rb", target: "b" }], ["text"])
    end

    def test_values_in_files_are_found_across_pieces
      value = "correct horse battery staple"
      [["x#{value}"], ["ab", value], [*value.chars], ["x" * 99, value[0, 9], value[9..], "y"]].each do |pieces|
        watch = secrets("APP_SECRET" => value).watch
        error = assert_raises(RemoteCache::Refused) { pieces.each { |piece| watch.call("log", piece) } }
        assert_equal "log contains the value of a secret", error.message
      end
      watch = secrets("APP_SECRET" => value).watch
      [["one", value[0, 9]], ["two", value[9..]]].each { |piece| watch.call(*piece) }
      secrets("APP_SECRET" => "short").watch.call("log", "short values are in files by chance")
    end

    def test_a_build_that_read_a_secret_is_not_sent
      extconf = "require 'mkmf'\n$defs << '-DSIZE' if ENV['DEPLOY_TOKEN']\ncreate_makefile('alpha/alpha')\n"
      archive = native_gem("alpha", { "ext/alpha/extconf.rb" => extconf })
      with = { "DEPLOY_TOKEN" => "hunter2-hunter2" }

      assert_equal "it depends on the variable DEPLOY_TOKEN, which looks secret", offered(archive, with)
      assert_kind_of Array, offered(archive, {}, app: "without"), "the variable is unset"
    end

    def test_build_that_wrote_its_environment_to_a_file_is_not_sent
      extconf = "require 'mkmf'\nsystem('env | grep hunter > ../../lib/log')\ncreate_makefile('alpha/alpha')\n"
      archive = native_gem("alpha", { "ext/alpha/extconf.rb" => extconf })

      assert_equal "gems/alpha-1.0/lib/log contains the value of a secret",
                   offered(archive, { "DEPLOY_TOKEN" => "hunter2-hunter2" })
      assert_empty Dir.glob("#{store.root}/tmp/*")
    end

    private

    def offered(archive, env, app: "app")
      builder = bundle(app, env: env)
      cache(builder, env: env).offer(build(builder, archive).stored, private_key)
    end

    def variable(name, value = "value") = [:environment, nil, name, { sha256: Store.sha256(value) }]
    def doubt(item, environment = {}, settings = {}) = secrets(environment, settings).doubt([item])

    def secrets(environment, settings = {})
      settings = Settings.load(root: folder, env: settings.merge("HOME" => folder))
      RemoteCache::Builds::Secrets.new(environment, settings)
    end
  end
end
