# frozen_string_literal: true

require "npm_modules"
require "uri"

# Requests use the same proxy as those of npm, and follow pnpm's settings in projects of pnpm.
class JSProxyTest < Minitest::Test
  include NpmModules

  URLS = %w[http://a.test/x https://a.test/x https://b.a.test:8443/x http://localhost:1/ https://other.test/].freeze
  PROXIES = ["http://p1.test:1/", "http://p2.test:2/", "http://me:pass@p3.test:3/"].freeze
  EXCLUDED = ["a.test", ".a.test", "b.a.test, localhost", "test", "", "x.test,other.test"].freeze

  # npm's module reads the environment when it is loaded.
  SCRIPT = <<~'JS'
    const path = npm + "/node_modules/@npmcli/agent/lib/proxy.js"
    answer(input.map(({ url, proxy, noProxy, env }) => {
      for (const key of Object.keys(process.env)) if (/proxy$/i.test(key)) delete process.env[key]
      Object.assign(process.env, env)
      delete require.cache[path]
      const found = require(path).getProxy(url, { proxy, noProxy })
      return found ? found.href : null
    }))
  JS

  def test_matches_npm_on_random_settings
    random = Random.new(11)
    cases = Array.new(600) { random_case(random) }
    node(SCRIPT, cases).zip(cases) do |expected, one|
      found = proxy(one).for(URI(one[:url]))

      assert_equal [one, expected], [one, found&.to_s]
    end
  end

  # pnpm has one setting for each scheme. `false` disables the proxy.
  def test_follows_the_settings_of_pnpm
    assert_equal "http://h/", of("http://a.test/", { "http-proxy" => "http://h/", "https-proxy" => "http://s/" })
    assert_equal "http://s/", of("https://a.test/", { "http-proxy" => "http://h/", "https-proxy" => "http://s/" })
    assert_nil of("https://a.test/", { "https-proxy" => false }, "HTTPS_PROXY" => "http://e/")
    assert_equal "http://e/", of("https://a.test/", {}, "HTTP_PROXY" => "http://e/")
    assert_nil of("https://a.test/", { "no-proxy" => "a.test" }, "HTTPS_PROXY" => "http://e/")
  end

  private

  def random_case(random)
    env = %w[https_proxy HTTP_PROXY proxy NO_PROXY].select { random.rand(3).zero? }
                                                   .to_h { |name| [name, variable(name, random)] }
    { url: URLS.sample(random: random), proxy: random.rand(3).zero? ? PROXIES.sample(random: random) : nil,
      noProxy: random.rand(3).zero? ? EXCLUDED.sample(random: random) : "", env: env }
  end

  def variable(name, random) = (name == "NO_PROXY" ? EXCLUDED : PROXIES).sample(random: random)

  def proxy(one)
    settings = { "proxy" => one[:proxy], "noproxy" => [one[:noProxy]] }.compact
    made(settings, one[:env], "npm")
  end

  def of(address, settings, **env) = made(settings, env.transform_keys(&:to_s), "pnpm").for(URI(address))&.to_s

  def made(settings, env, tool)
    level = Spate::JS::Configuration::Level.new(:user, "/.npmrc", settings)
    Spate::JS::Registry::Proxy.new(Spate::JS::Configuration.new([level], root: "/", env: env, tool: tool))
  end
end
