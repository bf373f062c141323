# frozen_string_literal: true

require "test_helper"
require "open3"
require "tmpdir"
require "support/npm_tools"

# Configuration reads pnpm's settings from the same files and variables as pnpm, with the same precedence. Compared with
# pnpm if it is installed.
class JSPnpmLevelsTest < Minitest::Test
  Configuration = Spate::JS::Configuration

  KEYS = %w[registry @a:registry @b:registry].freeze
  FILES = %w[project/.npmrc home/.config/pnpm/auth.ini home/.npmrc other].freeze
  LINES = ["registry=http://r%d.test", "registry=http://r%d.test/npm/", "@a:registry=http://a%d.test", "; registry=x",
           "@b:registry = http://b%d.test/x", "strict-ssl=false", "//r.test/:_authToken=${X}",
           "userconfig=other"].freeze

  def setup
    @folder = File.realpath(Dir.mktmpdir("pnpm-levels-"))
    write("project/package.json", "{}")
  end

  def teardown
    FileUtils.rm_rf(@folder)
  end

  def test_matches_pnpm_on_random_levels
    skip "no pnpm of version 11 or newer is here" unless Spate::JS::Project::Version.installed("pnpm", ENV).to_i >= 11
    random = Random.new(3)
    60.times do
      env = random_files(random)
      found = configuration(env)
      KEYS.each { |key| compare(key, found, env) }
    end
  end

  def test_nearest_level_wins
    write("project/.npmrc", "a=project")
    write("home/.config/pnpm/auth.ini", "a=auth\nb=auth")
    write("home/.npmrc", "a=user\nb=user\nc=user")
    write("home/.config/pnpm/config.yaml", <<~YAML)
      a: yaml
      d: yaml
      fetchRetries: 7
      registries:
        default: http://d.test
        "@s": http://s.test
    YAML
    found = configuration

    assert_equal ["project", "auth", "user", "yaml", 7], %w[a b c d fetch-retries].map { |key| found[key] }
    assert_equal %w[http://d.test/ http://s.test/], [found.registry, found.registry_for("@s/x")]
    assert_equal %w[project/.npmrc home/.config/pnpm/auth.ini home/.npmrc home/.config/pnpm/config.yaml]
      .map { |path| "#{@folder}/#{path}" }, found.inputs
    assert_equal "env", configuration({ "PNPM_CONFIG_A" => "env", "npm_config_a" => "npm" })["a"]
  end

  # pnpm 10 and older also read npm's variables and a file named rc.
  def test_older_versions_read_the_files_of_npm
    write("home/.config/pnpm/rc", "a=rc\nb=rc")
    write("home/.config/pnpm/auth.ini", "a=auth")
    write("project/.npmrc", "registry=http://${X}.test")
    found = configuration({ "npm_config_b" => "npm", "X" => "x" }, version: "10.4.1")

    assert_equal %w[rc npm http://x.test/], [found["a"], found["b"], found.registry]
  end

  # Otherwise a file in the repository could send a secret from the environment to any host.
  def test_no_variable_of_the_environment_in_the_projects_own_file
    write("project/.npmrc", "//r.test/:_authToken=${X}\n//${X}/:_authToken=t\nproxy=http://${X}\nother=${X}")
    write("home/.npmrc", "//u.test/:_authToken=${X}\n//v.test/:_authToken=${NONE}\n//w.test/:_authToken=${NONE-d}")
    found = configuration({ "X" => "secret" })

    assert_equal({ "//u.test/:_authToken" => "secret", "//v.test/:_authToken" => "", "//w.test/:_authToken" => "d" },
                 found.addressed)
    assert_equal [nil, "secret"], [found["proxy"], found["other"]]
    write("project/.npmrc", "@a:registry=http://r.test/${X}")
    error = assert_raises(Configuration::UnexpandedRegistryError) { configuration({ "X" => "secret" }) }

    assert_equal "@a:registry in #{@folder}/project/.npmrc has a variable, which pnpm does not expand in files of " \
                 "the project", error.message
  end

  # Credentials without an address belong to the registry in the same file, even if another file sets another one.
  def test_credentials_without_an_address
    write("project/.npmrc", "registry=http://evil.test/")
    write("home/.npmrc", "registry=http://mine.test/npm\n_authToken=t")

    assert_equal({ "//mine.test/:_authToken" => "t" }, configuration.addressed)
    assert_nil authorization(configuration, "http://evil.test/a")
    assert_equal "Bearer t", authorization(configuration, "http://mine.test/a")
    write("home/.npmrc", "_auth=b")

    assert_nil authorization(configuration, "http://evil.test/a")
  end

  private

  def write(path, text)
    absolute = File.join(@folder, path)
    FileUtils.mkdir_p(File.dirname(absolute))
    File.write(absolute, text)
    absolute
  end

  def environment(more)
    { "HOME" => "#{@folder}/home", "PATH" => ENV.fetch("PATH"), "X" => "x" }.merge(more)
  end

  def configuration(more = {}, version: "12.0.0")
    Configuration.load(root: "#{@folder}/project", env: environment(more), tool: "pnpm", version: version)
  end

  def authorization(found, address) = found.nerf_dart.for(address, found.registry).authorization

  def random_files(random)
    FILES.each do |file|
      text = LINES.sample(random.rand(4), random: random).map { |line| format(line, random.rand(99)) }.join("\n")
      text = text.gsub(/^.*_authToken.*$/, "") if file == "project/.npmrc"
      random.rand(3).zero? ? FileUtils.rm_f("#{@folder}/#{file}") : write(file, text)
    end
    [{}, { "pnpm_config_registry" => "http://env.test" }, { "npm_config_registry" => "http://old.test" },
     { "npm_config_userconfig" => "#{@folder}/other" }, { "PNPM_CONFIG_USERCONFIG" => "#{@folder}/other" }]
      .sample(random: random)
  end

  def compare(key, found, more)
    output, = Open3.capture2(environment(more), "pnpm", "config", "get", key, chdir: "#{@folder}/project",
                                                                              unsetenv_others: true, err: File::NULL)
    given = output.strip
    texts = FILES.map { |file| Configuration::Level.text("#{@folder}/#{file}") }
    return assert_nil(found[key], texts.inspect) if given == "undefined"

    assert_equal given, key == "registry" ? found.registry : found.registry_for("#{key[/@./]}/x"), [key, texts].inspect
  end
end
