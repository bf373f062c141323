# frozen_string_literal: true

require "test_helper"

class FactsTest < Minitest::Test
  def test_round_trip
    facts = Spate::Specification::Facts.new(name: "a", version: "1.0", platform: "ruby", require_paths: %w[lib ext],
                                            post_install_message: "one\ttwo\nthree \\n", executables: ["x"])
    again = Spate::Specification::Facts.parse(facts.to_s)

    assert_equal "one\ttwo\nthree \\n", again.post_install_message
    assert_equal %w[lib ext], again.require_paths
    assert_equal facts.to_s, again.to_s
  end

  def test_facts_belong_to_a_package
    ruby, java = %w[ruby java].map { |platform| { name: "a", version: "1.0", platform: platform } }
    facts = Spate::Specification::Facts.new(**java, required_ruby: ">= 3.4.0")

    assert facts.of?(package(**java))
    refute facts.of?(package(**ruby))
    refute facts.of?(package(**java, content_address: "12345678")), "no content address without a single Ruby"
    pinned = Spate::Specification::Facts.new(**java, required_ruby: "~> 3.4.0")

    assert pinned.of?(package(**java, content_address: "12345678"))
  end

  def package(**facts) = Spate::Package.new(source: nil, **facts)

  def test_facts_without_a_platform_are_for_ruby
    facts = { name: "a", version: "1.0" }

    assert Spate::Specification::Facts.new(**facts).of?(package(**facts, platform: "ruby"))
  end

  def test_keys_of_a_later_version_are_skipped
    assert_equal "a", Spate::Specification::Facts.parse("name\ta\nsomething_new\t1\n").name
  end

  def test_executable_is_found_for_any_spelling_of_its_folder
    { "exe" => "exe/run", "exe/" => "exe/run", "./exe//" => "exe/run", "." => "run", "a/b" => "a/b/run" }
      .each do |bindir, path|
      assert_equal path, Spate::Specification::Facts.new(bindir: bindir).executable("run")
    end
  end
end
