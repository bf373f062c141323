# frozen_string_literal: true

require "test_helper"

class FactsTest < Minitest::Test
  def test_a_text_gives_back_what_it_was_made_from
    facts = Spate::Install::Facts.new(name: "a", version: "1.0", platform: "ruby", require_paths: %w[lib ext],
                                      post_install_message: "one\ttwo\nthree \\n", executables: ["x"])
    again = Spate::Install::Facts.parse(facts.to_s)

    assert_equal "one\ttwo\nthree \\n", again.post_install_message
    assert_equal %w[lib ext], again.require_paths
    assert_equal facts.to_s, again.to_s
  end

  def test_full_name_leaves_out_the_platform_ruby
    assert_equal "a-1.0", Spate::Install::Facts.new(name: "a", version: "1.0", platform: "ruby").full_name
    assert_equal "a-1.0-java", Spate::Install::Facts.new(name: "a", version: "1.0", platform: "java").full_name
  end

  def test_keys_of_a_later_version_are_passed_over
    assert_equal "a", Spate::Install::Facts.parse("name\ta\nsomething_new\t1\n").name
  end

  def test_an_executable_is_found_however_its_folder_is_written
    { "exe" => "exe/run", "exe/" => "exe/run", "./exe//" => "exe/run", "." => "run", "a/b" => "a/b/run" }
      .each do |bindir, path|
      assert_equal path, Spate::Install::Facts.new(bindir: bindir).executable("run")
    end
  end
end
