# frozen_string_literal: true

require "npm_modules"

# Configuration::NerfDart selects the same credentials for an address as npm.
class JSNerfDartTest < Minitest::Test
  include NpmModules

  Configuration = Spate::JS::Configuration

  KEYS = %w[//h.test/:_authToken //h.test/:_auth //h.test/:username //h.test/:_password //h.test:_authToken
            //h.test/npm/:_authToken //h.test/npm:_auth //h.test/npm/a/:_authToken //h.test:8080/:_authToken
            //h.test:8080/x/:_auth //other.test/:_authToken //h.test/npm/:username //h.test/npm/:_password
            //h.test/np/:_authToken //h.test/npm/:certfile //h.test/npm/:keyfile].freeze
  ADDRESSES = %w[https://h.test/a/-/a-1.tgz https://h.test/npm/a/-/a-1.tgz https://h.test/npm/@s/b/-/b-1.tgz?x=/y
                 https://h.test:443/npm/a https://h.test:8080/x/a https://h.test:8080/a http://h.test/a http://h.test:80
                 https://other.test/a/-/a.tgz https://third.test/npm/a https://H.test/npm/ https://h.test/npmx/a
                 https://me:pass@h.test/a https://h.test/npm#frag].freeze
  REGISTRIES = %w[https://h.test/ https://h.test/npm/ https://other.test/x/ http://h.test:8080/x/].freeze

  SCRIPT = <<~'JS'
    const getAuth = require(npm + "/node_modules/npm-registry-fetch/lib/auth.js")
    answer(input.map(({ settings, address, registry }) => {
      const auth = getAuth(address, { ...settings, registry })
      return auth.token ? `Bearer ${auth.token}` : auth.auth ? `Basic ${auth.auth}` : null
    }))
  JS

  def test_matches_npm_on_random_settings
    random = Random.new(4)
    cases = Array.new(2000) do
      settings = KEYS.sample(random.rand(6), random: random).to_h { |key| [key, value(key, random)] }
      { settings: settings, address: ADDRESSES.sample(random: random), registry: REGISTRIES.sample(random: random) }
    end
    node(SCRIPT, cases).zip(cases) do |expected, one|
      found = nerf_dart(one[:settings]).for(one[:address], one[:registry]).authorization
      expected = nil if plain?(one) # npm sends these credentials unencrypted, Spate does not send them

      assert_equal [one, expected], [one, found]
    end
  end

  def test_prefix_and_host_of_an_address
    assert_equal "//host/a/", Configuration::NerfDart.of("https://U:x@Host:443/a/b?c=/d")
    assert_equal "//host:80/", Configuration::NerfDart.of("https://host:80")
    assert_nil Configuration::NerfDart.of("not an address")
    assert_equal "host:8080", Configuration::NerfDart.host("http://host:8080/a")
  end

  # Certificates of a registry are not sent to other hosts.
  def test_certificates
    found = nerf_dart("//h.test/:certfile" => "a", "//h.test/:keyfile" => "b")

    assert_equal %w[a b], found.for("https://h.test/x", "https://h.test/").to_a.compact.last(2)
    assert_predicate found.for("https://h.test/x", "https://h.test/"), :certificate?
    refute_predicate found.for("https://other.test/x", "https://h.test/"), :certificate?
  end

  private

  def plain?(one) = one[:address].start_with?("http:") && one[:registry].start_with?("https:")

  def value(key, random)
    return ["#{random.rand(999)}:é"].pack("m0") if key.end_with?("_password", "_auth")

    random.rand(6).zero? ? "" : random.rand(100).to_s
  end

  def nerf_dart(settings)
    level = Configuration::Level.new(:user, "/.npmrc", settings)
    Configuration::NerfDart.new(Configuration.new([level], root: "/", env: {}, tool: "npm"))
  end
end
