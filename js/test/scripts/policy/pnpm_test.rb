# frozen_string_literal: true

require_relative "../scripts_case"

class JSScriptsPnpmPolicyTest < Minitest::Test
  include JSScriptsCase

  Registry = Struct.new(:url) do
    def [](_key) = nil
    def env = {}
    def registry_for(_name) = url
    def public_registry = nil
  end

  def test_allow_builds
    assert_decisions("allowBuilds:\n  one: true\n  two: false\n  three@1.0.0 || 2.0.0: true\n",
                     "one@1.0.0" => true, "one@2.0.0(peer@1.0.0)" => true, "two@1.0.0" => false,
                     "three@2.0.0" => true, "three@3.0.0" => nil, "four@1.0.0" => nil)
  end

  def test_denial_takes_precedence
    assert_decisions("allowBuilds:\n  one: true\n  one@1.0.0: false\n", "one@1.0.0" => false, "one@2.0.0" => true)
  end

  def test_the_lists_of_older_versions
    write("list.json", '["three"]')
    @version = "10.34.9"

    assert_decisions("onlyBuiltDependencies: [one]\nneverBuiltDependencies: [two]\nignoredBuiltDependencies: [four]\n" \
                     "onlyBuiltDependenciesFile: list.json\n",
                     "one@1.0.0" => true, "two@1.0.0" => false, "three@1.0.0" => true, "four@1.0.0" => false)
  end

  def test_older_versions_read_package_json
    manifest(pnpm: { onlyBuiltDependencies: ["one"] })
    @version = "10.34.9"

    assert_decisions("", "one@1.0.0" => true)
    @version = "11.0.0"

    assert_decisions("", "one@1.0.0" => nil)
    assert_decisions("onlyBuiltDependencies: [one]\n", "one@1.0.0" => nil)
  end

  def test_decisions_name_the_list
    decide("allowBuilds:\n  one: true\n", "one@1.0.0")
    plan = plan("pnpm").tap { |made| made.version = "10.34.9" }

    assert_equal "pnpm-workspace.yaml allowBuilds: one", JS::Scripts::Policy.of(plan, nil).decide(@trees.last).last
    manifest(pnpm: { onlyBuiltDependencies: ["one"] })
    write("pnpm-workspace.yaml", "")

    assert_equal "package.json pnpm onlyBuiltDependencies: one",
                 JS::Scripts::Policy.of(plan, nil).decide(@trees.last).last
  end

  def test_a_setting_allows_all_packages
    assert_decisions("dangerouslyAllowAllBuilds: true\n", "one@1.0.0" => true)
  end

  def test_name_does_not_allow_packages_of_other_sources
    git = "one@git+ssh://git@host.test/one.git#abc"
    archive = "one@http://evil.test/one.tgz"

    assert_decisions("allowBuilds:\n  one: true\n", git => nil, archive => nil)
    assert_decisions("allowBuilds:\n  '#{archive}': true\n", archive => true, git => nil)
    assert_decisions("allowBuilds:\n  one: false\n", archive => false)
  end

  def test_a_key_of_a_registry_does_not_cover_another_archive
    evil = { resolved: "http://evil.test/one/-/one-1.0.0.tgz" }
    ["one", "one@1.0.0"].each do |word|
      assert_nil decide("allowBuilds:\n  #{word}: true\n", "one@1.0.0", **evil), word
    end
    assert decide("allowBuilds:\n  one: true\n", "one@1.0.0", resolved: "http://registry.test/one/-/one-1.0.0.tgz")
  end

  def test_printed_entry_allows_a_package
    ["one@1.0.0(peer@1.0.0)", "@a/b@1.0.0", "one@file:one.tgz", "one@http://evil.test/one.tgz"].each do |key|
      decide("", key)
      word = policy.word(@trees.last)

      assert decide("allowBuilds:\n  '#{word}': true\n", key), [key, word].inspect
    end
  end

  def test_an_alias_is_resolved_to_its_package
    assert_nil decide("allowBuilds:\n  one: true\n", "evil@1.0.0", path: "node_modules/one")
  end

  private

  def assert_decisions(yaml, expected)
    expected.each do |key, allowed|
      found = decide(yaml, key)

      allowed.nil? ? assert_nil(found, key) : assert_equal(allowed, found, key)
    end
  end

  def decide(yaml, key, **more)
    manifest unless File.exist?("#{@root}/package.json")
    write("pnpm-workspace.yaml", yaml)
    name, version = key.sub(/\(.*/, "").match(/\A(@?[^@]+)@(.+)\z/).captures
    more[:resolved] ||= version if version.include?(":")
    add(name, version.include?(":") ? nil : version, {}, key: key, **more)
    policy.decide(@trees.last).first
  end

  def policy
    plan = plan("pnpm").tap { |made| made.version = @version }
    JS::Scripts::Policy.of(plan, Registry.new("http://registry.test/"))
  end
end
