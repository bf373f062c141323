# frozen_string_literal: true

require_relative "../scripts_case"

class JSScriptsNpmPolicyTest < Minitest::Test
  include JSScriptsCase

  Registry = Struct.new(:settings) do
    def [](key) = settings[key]
    def registry_for(name) = name.start_with?("@own/") ? "http://own.test/npm/" : "http://registry.test/"
    def public_registry = "http://public.test/"
  end

  def test_a_name_allows_all_versions
    assert_decisions({ "one" => true }, true => [{}, { version: "2.0.0" }], nil => [{ name: "two" }])
    assert_decisions({ "one@*" => true, "two@" => true }, true => [{}, { name: "two" }])
  end

  def test_version_is_matched_if_the_lockfile_has_the_address
    address = "http://registry.test/one/-/one-1.0.0.tgz"

    assert_decisions({ "one@1.0.0 || 3.0.0" => true },
                     true => [{ resolved: address }],
                     nil => [{ resolved: "http://registry.test/one/-/one-2.0.0.tgz", version: "2.0.0" }, {}])
    assert_decisions({ "one@1.0.0" => false }, false => [{}])
  end

  def test_ranges_and_tags_are_ignored
    words = %w[one@^1.0.0 one@latest one@>=1 one@1.x]

    assert_decisions(words.to_h { |word| [word, true] }, nil => [{}])
    assert_equal words, policy(words.to_h { |word| [word, true] }).ignored
  end

  def test_denial_takes_precedence
    second = { version: "2.0.0", resolved: "http://registry.test/one/-/one-2.0.0.tgz" }

    assert_decisions({ "one" => true, "one@1.0.0" => false },
                     false => [{}, second.except(:resolved)], true => [second])
  end

  def test_an_alias_is_resolved_to_its_package
    assert_decisions({ "one" => true }, nil => [{ path: "node_modules/one", of: "evil" }],
                                        true => [{ path: "node_modules/other", of: "one" }])
  end

  def test_name_does_not_allow_packages_of_other_sources
    addresses = ["http://evil.test/one/-/one-1.0.0.tgz", "http://registry.test/evil/-/evil-1.0.0.tgz",
                 "http://registry.test/one/-/one-9.0.0.tgz", "http://registry.test/x.tgz?/one/-/one-1.0.0.tgz",
                 "http://registry.test@evil.test/one/-/one-1.0.0.tgz", "file:one.tgz", "http://registry.test/-/one-1.0.0.tgz",
                 "http://registry.test.evil.test/one/-/one-1.0.0.tgz"]

    assert_decisions({ "one" => true }, nil => addresses.map { |address| { resolved: address } })
  end

  def test_an_archive_in_a_registry_is_known_by_its_address
    assert_decisions({ "one" => true, "@own/x" => true },
                     true => [{ resolved: "http://registry.test/one/-/one-1.0.0.tgz" },
                              { resolved: "http://public.test/one/-/one-1.0.0.tgz" },
                              { name: "@own/x", resolved: "http://own.test/npm/@own/x/-/x-1.0.0.tgz" },
                              { name: "@own/x", resolved: "http://own.test/npm/@own%2fx/-/x-1.0.0.tgz" }],
                     nil => [{ name: "@own/x", resolved: "http://registry.test/@own/x/-/x-1.0.0.tgz" },
                             { name: "@own/x", resolved: "http://own.test/npm/../mine/@own/x/-/x-1.0.0.tgz" },
                             { name: "@own/x", resolved: "http://own.test/mine/@own/x/-/x-1.0.0.tgz" }])
  end

  def test_an_address_is_allowed_as_a_whole
    assert_decisions({ "http://evil.test/one.tgz" => true, "file:vendor/two.tgz" => true, "./three.tgz" => true },
                     true => [{ resolved: "http://evil.test/one.tgz" }, { resolved: "file:vendor/two.tgz" },
                              { resolved: "file:three.tgz" }],
                     nil => [{ resolved: "http://evil.test/one.tgz2" }, { resolved: "file:two.tgz" }, {}])
  end

  def test_printed_entry_allows_a_package
    registry = "http://registry.test/one/-/one-1.0.0.tgz"
    [nil, registry, "http://evil.test/one.tgz", "file:vendor/one.tgz"].each do |address|
      add("one", "1.0.0", {}, of: "one", resolved: address)
      word = policy({}).word(@trees.last)

      assert policy({ word => true }).decide(@trees.last).first, [address, word].inspect
    end
  end

  def test_setting_is_used_without_a_list_in_package_json
    settings = { "allow-scripts" => "one, two@1.0.0" }

    assert_decisions({}, settings, true => [{}], nil => [{ name: "three" }])
    assert_decisions({ "three" => true }, settings, true => [{ name: "three" }], nil => [{}])
  end

  def test_a_setting_allows_all_packages
    assert_decisions({ "one" => false }, { "dangerously-allow-all-scripts" => true }, true => [{}])
  end

  def test_names_the_deciding_list
    add("one", "1.0.0")

    assert_equal [true, "package.json allowScripts: one"], policy({ "one" => true }).decide(@trees.last)
  end

  def test_asking_lists_packages_with_scripts
    manifest(allowScripts: { one: true, two: false })
    %w[one two three].each { |name| add(name, "1.0.0", { install: "node x.js", test: "no" }) }
    add("four")
    asking = JS::Scripts.asking(plan, @trees.to_h { |tree| [tree.path, facts(tree.path)] })

    assert_equal({ "one@1.0.0" => true, "two@1.0.0" => false, "three@1.0.0" => nil },
                 asking.to_h { |each| [each.full_name, each.allowed] })
    assert_equal({ "install" => "node x.js" }, asking.first.scripts)
  end

  private

  def policy(list, settings = {})
    manifest(allowScripts: list)
    JS::Scripts::Policy.of(plan, Registry.new(settings))
  end

  # expected: { decision => [arguments of `add`, ...] }
  def assert_decisions(list, settings = {}, expected = settings)
    settings = {} if settings.equal?(expected)
    policy = policy(list, settings)
    expected.each do |decision, packages|
      packages.each do |given|
        name = given[:name] || "one"
        add(name, given[:version] || "1.0.0", {}, of: name, **given.except(:name, :version))
        found, = policy.decide(@trees.last)

        decision.nil? ? assert_nil(found, given.inspect) : assert_equal(decision, found, given.inspect)
      end
    end
  end
end
