# frozen_string_literal: true

require "npm_modules"

# Configuration merges the environment and the project's, the user's, the global and npm's built-in .npmrc as npm does.
# Compared with npm's own parser.
class JSConfigurationTest < Minitest::Test
  include NpmModules

  Configuration = Spate::JS::Configuration

  # Loads npm's configuration for each [folder, env], as its command line does, and returns the values of the keys.
  SCRIPT = <<~'JS'
    const Config = require(npm + "/node_modules/@npmcli/config")
    const definitions = require(npm + "/node_modules/@npmcli/config/lib/definitions")
    process.on("log", () => {})
    const load = async ({ folder, env, keys }) => {
      process.chdir(folder)
      const place = { npmPath: npm, cwd: folder, execPath: env.NODE }
      const config = new Config({ ...definitions, ...place, env, argv: [] })
      await config.load()
      try { config.validate() } catch (error) { if (error.code !== "ERR_INVALID_AUTH") throw error }
      return Object.fromEntries(keys.map((key) => [key, config.get(key) ?? null]))
    }
    const all = async () => {
      const found = []
      for (const one of input) found.push(await load(one).catch((error) => ({ error: String(error) })))
      answer(found)
    }
    all()
  JS

  KEYS = %w[registry @a:registry @b:registry //h.test/:_authToken //h.test/npm/:_auth //h.test/:username
            strict-ssl fetch-retries fetch-retry-mintimeout fetch-timeout maxsockets cafile ca
            cert key https-proxy proxy noproxy userconfig globalconfig prefix replace-registry-host
            script-shell ignore-scripts omit include install-links legacy-peer-deps engine-strict unknown
            unknown-flag].freeze
  VALUES = ["true", "false", "null", "", "7", "0.5", "-1", "abc", "http://r.test", "https://r.test/x/", "no address",
            "${REG}", "${NONE}", "${NONE?}", "x${REG}y", "\\${REG}", "~/file", "./file", "/abs/file", "dev", "always",
            "a b", "\"q\"", "'q'", "line\\nline", " spaced "].freeze
  # Settings whose values depend on this machine. They are not compared.
  OWN = %w[userconfig globalconfig prefix].freeze

  def setup
    @folder = File.realpath(Dir.mktmpdir("js-configuration-"))
  end

  def teardown
    FileUtils.rm_rf(@folder)
  end

  def test_matches_npm_on_random_levels
    random = Random.new(7)
    cases = Array.new(300) { |number| random_case(number.to_s, random) }
    node(SCRIPT, cases).zip(cases) do |expected, one|
      next if expected.key?("error")

      compare(expected, load(one), one)
    end
  end

  def test_nearest_level_wins
    write("home/.npmrc", "a=user\nb=user\nc=user")
    write("prefix/etc/npmrc", "a=global\nb=global\nd=global")
    write("project/.npmrc", "a=project")
    configuration = here("npm_config_a" => "env", "NPM_CONFIG_E_F" => "env")

    assert_equal %w[env user user global env], %w[a b c d e-f].map { |key| configuration[key] }
    assert_nil configuration["g"]
    assert_equal "laid", configuration.with({ "a" => "laid" })["a"]
    assert_equal %w[project/.npmrc home/.npmrc prefix/etc/npmrc].map { |path| "#{@folder}/#{path}" },
                 configuration.inputs.grep(/\A#{@folder}/)
  end

  def test_a_level_can_set_the_path_of_the_next_one
    write("project/.npmrc", "userconfig=#{@folder}/other")
    write("other", "a=1\nglobalconfig=${HERE}/third")
    write("third", "b=2")
    configuration = here("HERE" => @folder)

    assert_equal %w[1 2], [configuration["a"], configuration["b"]]
    assert_equal "0", here("npm_config_userconfig" => write("fourth", "a=0"))["a"]
  end

  # If the project is the home folder, its .npmrc is read only once.
  def test_home_as_project
    write("project/.npmrc", "a=1")
    configuration = here("HOME" => "#{@folder}/project")

    assert_equal 1, configuration.inputs.count("#{@folder}/project/.npmrc")
    assert_equal "1", configuration["a"]
  end

  def test_registries
    write("project/.npmrc", "registry=http://me:secret@r.test/npm\n@a:registry=http://a.test")
    configuration = here

    assert_equal "http://r.test/npm/", configuration.registry
    assert_equal "http://a.test/", configuration.registry_for("@a/b")
    assert_equal "http://r.test/npm/", configuration.registry_for("@other/b")
    assert_equal "http://r.test/npm/", configuration.registry_for("b")
  end

  def test_without_a_registry
    configuration = here("PATH" => @folder)

    assert_nil configuration.registry
    assert_nil configuration.registry_for("b")
    write("home/.npmrc", "_auth=x\n@a:registry=http://a.test")
    error = assert_raises(Configuration::InvalidAuthError) { here("PATH" => @folder).check_auth }

    assert_equal "http://a.test/", here("PATH" => @folder).registry_for("@a/b")
    assert_equal "write //HOST/:_auth instead (`npm config fix` does it)", error.hint
  end

  def test_inspect_hides_secrets
    write("home/.npmrc", "//r.test/:_authToken=t0ken\n//r.test/:_password=s3cret\n_auth=bas1c\n" \
                         "//r.test/:username=me\nemail=me@r.test")
    configuration = here

    keys = %w[//r.test/:_authToken //r.test/:_password _auth //r.test/:username]

    assert_equal ["(protected)"], configuration.list.values_at(*keys).uniq
    assert_equal "me@r.test", configuration.list["email"]
    [configuration, configuration.nerf_dart.for("http://r.test/", "http://r.test/")].each do |object|
      refute_match(/t0ken|s3cret|bas1c/, object.inspect + object.to_s)
    end
  end

  def test_credentials_without_an_address
    write("home/.npmrc", "registry=http://r.test/\n_authToken=t0ken\n-authtoken=old")
    error = assert_raises(Configuration::InvalidAuthError) { here.check_auth }

    assert_equal "-authtoken in #{@folder}/home/.npmrc and _authToken in #{@folder}/home/.npmrc must begin with the " \
                 "address of a registry", error.message
    assert_equal "write //r.test/:_authToken instead (`npm config fix` does it)", error.hint
    write("home/.npmrc", "//r.test/:_authToken=t0ken")

    assert_nil here("npm_config__authtoken" => "x").check_auth
  end

  # pnpm's version determines which of its files are read.
  def test_pnpm_version_of_the_project_determines_the_files
    write("project/pnpm-lock.yaml", "lockfileVersion: '9.0'\n")
    write("project/package.json", '{ "packageManager": "pnpm@10.4.1" }')
    write("home/.config/pnpm/rc", "a=old")
    project = Spate::JS::Project.find("#{@folder}/project")

    assert_equal "old", Configuration.of(project, { "HOME" => "#{@folder}/home" })["a"]
    write("project/package.json", '{ "packageManager": "pnpm@12.0.0" }')
    project = Spate::JS::Project.find("#{@folder}/project")

    assert_nil Configuration.of(project, { "HOME" => "#{@folder}/home" })["a"]
  end

  def test_leaves_unsupported_settings_to_the_tool
    write("home/.npmrc", "//r.test/:tokenHelper=/bin/token\n//r.test/:cafile=x\nproxy=socks5://h.test\n" \
                         "local-address=127.0.0.1\nhttps-proxy=http://h.test")
    error = assert_raises(Spate::JS::LeftToTool) { here.check_supported }

    assert_equal ["//r.test/:tokenHelper is set", "//r.test/:cafile is set", "local-address is set", "proxy is set"],
                 error.reasons
    write("home/.npmrc", "https-proxy=http://h.test\n//r.test/:_authToken=x")

    assert_nil here.check_supported
  end

  # Finds npm's folder by following the links of npm on PATH, without starting npm.
  def test_finds_the_folder_of_npm
    %w[node npm].each do |name|
      File.write(File.join(bin, name), "#!/bin/sh\nexit 1\n")
      File.chmod(0o755, File.join(bin, name))
    end
    folder = File.join(@folder, "node/lib/node_modules/npm")
    FileUtils.mkdir_p("#{folder}/bin")
    FileUtils.touch("#{folder}/bin/npm-cli.js")
    write("node/lib/node_modules/npm/npmrc", "from=builtin")
    write("node/etc/npmrc", "also=global")
    configuration = here("PATH" => bin, "PREFIX" => "")

    assert_equal %w[builtin global], [configuration["from"], configuration["also"]]
  end

  def test_its_own_default_registry
    folder = File.join(@folder, "npm/node_modules/@npmcli/config/lib/definitions")
    FileUtils.mkdir_p(folder)
    File.write(File.join(folder, "definitions.js"), "other: new Definition('other', {\n default: 'x' }),\n" \
                                                    "registry: new Definition('registry', {\n    default: 'http://d.test'")
    FileUtils.mkdir_p("#{@folder}/npm/bin")
    FileUtils.touch("#{@folder}/npm/bin/npm-cli.js")
    File.chmod(0o755, "#{@folder}/npm/bin/npm-cli.js")
    File.symlink("#{@folder}/npm/bin/npm-cli.js", "#{bin}/npm")

    assert_equal "http://d.test/", here("PATH" => bin).registry
  end

  # Debian installs npm's modules beside npm. Its npm 9.2 has the definitions among its own files.
  def test_the_default_registry_of_debians_npm
    write("share/nodejs/npm/lib/utils/config/definitions.js", "define('reg', {\n  default: null })\n" \
                                                              "define('registry', {\n  default: 'http://d.test/',\n")
    File.chmod(0o755, program = write("share/nodejs/npm/bin/npm-cli.js", "#!/bin/sh\nexit 1\n"))
    File.symlink(program, "#{bin}/npm")

    assert_equal "http://d.test/", here("PATH" => bin).registry
  end

  # If npm is a wrapper, Spate runs it, without the user's settings.
  def test_the_default_registry_of_a_wrapper
    File.write(File.join(bin, "npm"), "#!/bin/sh\n[ -z \"$npm_config_registry\" ] && echo http://asked.test/\n")
    File.chmod(0o755, File.join(bin, "npm"))

    assert_equal "http://asked.test/", here("PATH" => bin, "npm_config_registry" => "").registry
    configuration = here("PATH" => bin, "npm_config_registry" => "http://set.test/")

    assert_equal %w[http://set.test/ http://asked.test/], [configuration.registry, configuration.public_registry]
  end

  # yarn has a different name for the setting. Corepack must not use the network.
  def test_the_default_registry_of_another_tool
    write("node/bin/yarn", "#!/bin/sh\n[ \"$COREPACK_ENABLE_NETWORK $*\" = '0 config get npmRegistryServer' ] && " \
                           "echo http://yarn.test || echo undefined\n")
    File.chmod(0o755, File.join(bin, "yarn"))

    assert_equal "http://yarn.test/", here("PATH" => bin).registry
  end

  def test_npm_agrees_about_its_default
    folder = Configuration::NpmFolder.new(ENV).path
    skip "npm is not here" unless folder
    expected = node("answer(require(npm + '/node_modules/@npmcli/config/lib/definitions').defaults?.registry ?? " \
                    "require(npm + '/node_modules/@npmcli/config/lib/definitions').definitions.registry.default)", [])

    assert_equal expected, Configuration.load(root: @folder, env: ENV.to_h).public_registry
  end

  private

  def bin = File.join(@folder, "node/bin").tap { |folder| FileUtils.mkdir_p(folder) }

  def write(path, text)
    absolute = File.join(@folder, path)
    FileUtils.mkdir_p(File.dirname(absolute))
    File.write(absolute, text)
    absolute
  end

  def here(env = {})
    FileUtils.mkdir_p("#{@folder}/project")
    env = { "HOME" => "#{@folder}/home", "PREFIX" => "#{@folder}/prefix", "PATH" => ENV.fetch("PATH") }.merge(env)
    Configuration.load(root: "#{@folder}/project", env: env)
  end

  def random_case(name, random)
    folder = File.join(@folder, name)
    write("#{name}/package.json", "{}")
    files = %w[.npmrc home/.npmrc prefix/etc/npmrc].select { random.rand(3).positive? }
    files.each { |file| write("#{name}/#{file}", lines(random)) }
    env = { "HOME" => "#{folder}/home", "PREFIX" => "#{folder}/prefix", "REG" => "http://reg.test/",
            "PATH" => ENV.fetch("PATH"), "NODE" => "#{folder}/prefix/bin/node" }
    (KEYS - OWN).sample(random.rand(4), random: random).each do |key|
      env["npm_config_#{key.start_with?("//") ? key : key.tr("-", "_")}"] = VALUES.sample(random: random)
    end
    { folder: folder, env: env, keys: KEYS }
  end

  def lines(random)
    Array.new(random.rand(6)) do
      key = (KEYS - OWN).sample(random: random)
      key = "#{key}[]" if random.rand(8).zero?
      random.rand(10).zero? ? key : "#{key} = #{VALUES.sample(random: random)}"
    end.join("\n")
  end

  def load(one) = Configuration.load(root: one[:folder], env: one[:env])

  def texts(folder) = %w[.npmrc home/.npmrc prefix/etc/npmrc].map do |path|
                        Configuration::Level.text("#{folder}/#{path}")
                      end

  # Removes values without a meaning: nil, "" and "null" from a list, and a noproxy of "null" or "false".
  def plain(key, value)
    return if key == "noproxy" && %w[null false].include?(value)

    value.is_a?(Array) ? value - [nil, "", "null"] : value
  end

  # For keys that are not set, npm returns defaults, and Configuration returns nil.
  def compare(expected, configuration, one)
    (KEYS - OWN).each do |key|
      found = configuration[key]
      next if found.nil? && !configuration.list.key?(key)

      assert_equal [key, plain(key, expected[key])], [key, plain(key, found)], [texts(one[:folder]), one[:env]].inspect
    end
  end
end
