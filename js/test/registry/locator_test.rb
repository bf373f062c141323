# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"
require "support/npm_registry"
require "tmpdir"

# Registry::Locator resolves the addresses in a lockfile as npm or pnpm does.
class JSLocatorTest < Minitest::Test
  JS = Spate::JS

  def setup
    @folder = File.realpath(Dir.mktmpdir("js-locator-"))
    @registry = NpmRegistry.start(path: "/npm/all/")
    @registry.add("hello", "1.0.0")
    @registry.add("@a/b", "1.0.0")
  end

  def teardown
    @registry.stop
    @other&.stop
    FileUtils.rm_rf(@folder)
  end

  def test_matches_npm_for_the_public_registry
    skip "npm is not here" unless public_registry
    assert_as_npm("hello", "#{public_registry}hello/-/hello-1.0.0.tgz")
    assert_as_npm("@a/b", "#{public_registry}@a/b/-/b-1.0.0.tgz")
  end

  def test_matches_npm_for_other_addresses
    skip "npm is not here" unless public_registry
    other = "http://registry.gems.test/hello/-/hello-1.0.0.tgz"
    assert_as_npm("hello", other, "replace-registry-host=always")
    assert_as_npm("hello", other, "replace-registry-host=registry.gems.test")
    assert_as_npm("hello", @registry.resolved("hello", "1.0.0"), "replace-registry-host=never")
    assert_as_npm("hello", nil)
  end

  # npm replaces the public registry in an address with the default registry, even if the scope has a different one.
  def test_matches_npm_for_a_scope
    skip "npm is not here" unless public_registry
    @other = NpmRegistry.start
    @other.add("@a/b", "1.0.0")
    assert_as_npm("@a/b", "#{public_registry}@a/b/-/b-1.0.0.tgz", "@a:registry=#{@other.url}")
    assert_as_npm("@a/b", nil, "@a:registry=#{@other.url}")
  end

  # A token is sent only to its own host and, if the registry is unknown, only with TLS.
  def test_without_a_registry
    { "https" => "Bearer t0ken", "http" => nil }.each do |scheme, authorization|
      remote = without_registry("hello", "#{scheme}://a.test/x/hello.tgz", "//a.test/:_authToken=t0ken\ncert=c\nkey=k")

      assert_equal ["#{scheme}://a.test/", authorization, nil], [remote.source, remote.authorization, remote.identity]
    end
    assert_nil without_registry("hello", "https://b.test/hello.tgz", "//a.test/:_authToken=t0ken").authorization
  end

  def test_without_a_registry_where_one_is_needed
    error = assert_raises(JS::Configuration::UnknownRegistryError) { without_registry("hello", nil) }

    assert_equal ["hello: #{JS::Configuration::UnknownRegistryError::UNKNOWN}", 12], [error.message, error.exit_code]
    assert_equal "set it in the project's .npmrc: registry=ADDRESS", error.hint
    assert_raises(JS::Configuration::UnknownRegistryError) do
      without_registry("hello", "https://a.test/hello.tgz", "replace-registry-host=always")
    end
  end

  # pnpm requests the address in the lockfile.
  def test_pnpm_keeps_addresses
    address = "#{public_registry || "http://public.test/"}hello/-/hello-1.0.0.tgz"

    assert_equal address, locate("hello", address, "", tool: "pnpm")
    assert_equal @registry.resolved("hello", "1.0.0"), locate("hello", nil, "", tool: "pnpm")
  end

  private

  def env
    @env ||= NpmRegistry.env(@registry, home: "#{@folder}/home").merge("PATH" => ENV.fetch("PATH"))
                        .reject { |name, _| name.match?(/registry\z/) }
  end

  def public_registry
    return @public_registry if defined?(@public_registry)

    @public_registry = JS::Configuration.load(root: @folder, env: ENV.to_h).public_registry
  end

  def locate(name, resolved, npmrc, tool: "npm")
    File.write("#{@folder}/.npmrc", "registry=#{@registry.url}\n#{npmrc}\n")
    configuration = JS::Configuration.load(root: @folder, env: env, tool: tool, version: "12")
    package = JS::Package.new(name: name, version: "1.0.0", resolved: resolved)
    JS::Registry::Locator.new(configuration).remote(package).to_s
  end

  def without_registry(name, resolved, npmrc = "")
    File.write("#{@folder}/.npmrc", "#{npmrc}\n")
    configuration = JS::Configuration.load(root: @folder, env: { "HOME" => @folder, "PATH" => @folder })
    package = JS::Package.new(name: name, version: "1.0.0", resolved: resolved)
    JS::Registry::Locator.new(configuration).remote(package)
  end

  def assert_as_npm(name, resolved, npmrc = "")
    address = locate(name, resolved, npmrc)
    [@registry, @other].compact.each(&:forget_requests)
    npm_ci(name, resolved)
    asked = [@registry, @other].compact.flat_map do |registry|
      registry.requests.map { |request| "http://localhost:#{registry.port}#{request.path}" }
    end

    assert_equal [address], asked.grep(/tgz/), "#{resolved} #{npmrc}"
  end

  def npm_ci(name, resolved)
    FileUtils.rm_rf(["#{@folder}/node_modules", "#{@folder}/home"])
    entry = { "version" => "1.0.0", "resolved" => resolved, "integrity" => @registry.integrity(name, "1.0.0") }.compact
    root = { "name" => "app", "dependencies" => { name => "1.0.0" } }
    File.write("#{@folder}/package.json", JSON.generate(root))
    File.write("#{@folder}/package-lock.json",
               JSON.generate("name" => "app", "lockfileVersion" => 3, "requires" => true,
                             "packages" => { "" => root, "node_modules/#{name}" => entry }))
    output, status = Open3.capture2e(env, "npm", "ci", chdir: @folder, unsetenv_others: true)

    assert_predicate status, :success?, output
  end
end
