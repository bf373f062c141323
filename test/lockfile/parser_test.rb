# frozen_string_literal: true

require "test_helper"
require "open3"

class LockfileParserTest < Minitest::Test
  WHOLE = <<~LOCK.freeze
    GIT
      remote: https://git.test/acme/tool.git
      revision: 48e2c458c2827cf2af2b0a287b30468fa8d761bf
      branch: main
      tag: v1
      submodules: true
      glob: gems/*/*.gemspec
      specs:
        tool (0.5.1)
          rack (>= 1, < 4)

    PATH
      remote: engines/billing
      glob: *.gemspec
      specs:
        billing (0.1.0)

    PLUGIN SOURCE
      remote: https://plugin.test
      type: kept
      specs:
        kept (1.0)

    GEM
      specs:

    GEM
      remote: https://one.test/
      remote: https://two.test/
      specs:
        nokogiri (1.15.4-java)
        nokogiri (1.15.4-x86_64-linux-musl)
          racc (~> 1.4)
        rack (3.0.0.beta1)

    PLATFORMS
      universal-java-11
      x86_64-linux-musl

    DEPENDENCIES
      billing!
      bundler (>= 2)
      nokogiri (>= 1.6, < 2.0)
      rack (= 3.0.0.beta1)
      tool!

    CHECKSUMS
      bundler (2.6.9) sha256=#{"b" * 64}
      nokogiri (1.15.4-x86_64-linux-musl) sha256=#{"A" * 64},sha512=#{"c" * 128}
      rack (3.0.0.beta1)

    TREE DIGESTS
      rack
        tree  abc
    \t
      more

    RUBY VERSION
       ruby 3.1.2p20 (jruby 9.4.2.0)

    BUNDLED WITH
       2.6.9
  LOCK

  def setup
    @lockfile = Spate::Lockfile.parse(WHOLE)
  end

  def test_sources
    git, path, plugin, none, gem = @lockfile.sources
    assert_equal ["https://git.test/acme/tool.git", "main", "v1", true, "gems/*/*.gemspec", "tool"],
                 [git.uri, git.branch, git.tag, git.submodules, git.glob, git.name]
    assert_equal ["engines/billing", "*.gemspec"], path.to_a
    assert_equal ["kept", { "remote" => "https://plugin.test", "type" => "kept" }], plugin.to_a
    assert_empty none.remotes
    assert_equal %w[https://one.test/ https://two.test/], gem.remotes
  end

  def test_specs_in_the_order_of_the_file
    assert_equal %w[tool-0.5.1 billing-0.1.0 kept-1.0 nokogiri-1.15.4-java nokogiri-1.15.4-x86_64-linux-musl
                    rack-3.0.0.beta1], @lockfile.specs.map(&:full_name)
    assert_equal [["rack", ">= 1, < 4"]], @lockfile.specs.first.dependencies.map { |it| it.to_a.first(2) }
    assert_same @lockfile.sources.last, @lockfile.specs.last.source
  end

  def test_dependencies
    assert_equal %w[billing bundler tool], @lockfile.dependencies.map(&:name) & %w[billing bundler tool]
    assert_equal "= 3.0.0.beta1", @lockfile.dependencies.find { |one| one.name == "rack" }.requirement
  end

  def test_checksums
    assert_equal "b" * 64, @lockfile.digests("bundler-2.6.9")["sha256"]
    assert_equal({ "sha256" => "a" * 64, "sha512" => "c" * 128 },
                 @lockfile.digests("nokogiri-1.15.4-x86_64-linux-musl"))
    assert_empty @lockfile.digests("rack-3.0.0.beta1")
    assert_includes @lockfile.checksums, "rack-3.0.0.beta1"
    refute_includes @lockfile.checksums, "tool-0.5.1"
  end

  def test_base64_checksum
    lockfile = Spate::Lockfile.parse("CHECKSUMS\n  rack (1) sha256=#{["\xAB" * 32].pack("m0").tr("+/", "-_")}\n")
    assert_equal "ab" * 32, lockfile.digests("rack-1")["sha256"]
  end

  def test_empty_checksums_are_not_no_checksums
    assert_empty Spate::Lockfile.parse("CHECKSUMS\n\nBUNDLED WITH\n   2.6.9\n").checksums
    assert_nil Spate::Lockfile.parse("BUNDLED WITH\n   2.6.9\n").checksums
  end

  ADDRESSED = <<~LOCK.freeze
    GEM
      remote: https://one.test/
      specs:
        a (1)
        a (1-x86_64-linux)
        b (2-x86_64-linux)

    CONTENT ADDRESSES
      a (1-x86_64-linux) 78be552b sha256=#{"78be552b".ljust(64, "0")}
      b (2-x86_64-linux) #{"e" * 64}
      gone (3-x86_64-linux) 12345678

    CHECKSUMS
      a (1) sha256=#{"1" * 64}
      a (1-x86_64-linux) sha256=#{"2" * 64}
  LOCK

  def test_content_addresses
    lockfile = Spate::Lockfile.parse(ADDRESSED)

    assert_equal [["a-1", nil], %w[a-1-78be552b 78be552b], ["b-2-#{"e" * 64}", "e" * 64]],
                 lockfile.specs.map { |spec| [spec.full_name, spec.content_address] }
    assert_equal %w[ruby x86_64-linux x86_64-linux], lockfile.specs.map(&:platform)
    assert_equal ["1" * 64, "2" * 64, "78be552b".ljust(64, "0")],
                 %w[a-1 a-1-x86_64-linux a-1-78be552b].map { |name| lockfile.digests(name)["sha256"] }
  end

  def test_older_rubygems_ignores_content_addresses
    %w[4.1.0.a 4.1.0 10.0].each do |version|
      assert_equal "a-1-78be552b", Spate::Lockfile.parse(ADDRESSED) { version }.specs[1].full_name
    end
    lockfile = Spate::Lockfile.parse(ADDRESSED) { "4.0.9" }

    assert_equal %w[a-1 a-1-x86_64-linux b-2-x86_64-linux], lockfile.specs.map(&:full_name)
    assert_equal "2" * 64, lockfile.digests("a-1-x86_64-linux")["sha256"]
    assert_predicate Spate::Lockfile.parse(WHOLE) { flunk "there are none" }, :specs
  end

  def test_platforms
    assert_equal %w[universal-java-11 x86_64-linux-musl], @lockfile.platforms.map(&:to_s)
  end

  def test_windows_line_ends
    lockfile = Spate::Lockfile.parse(WHOLE.gsub("\n", "\r\n"))
    assert_equal @lockfile.specs.map(&:full_name), lockfile.specs.map(&:full_name)
    assert_equal "https://two.test/", lockfile.sources.last.remotes.last
  end

  def test_binary_string_is_read_as_utf8
    assert_equal "engines/caf\u00e9", Spate::Lockfile.parse("PATH\n  remote: engines/caf\u00e9\n  specs:\n".b)
                                                     .sources.first.remote
  end

  def test_the_last_of_two_equal_specs_wins
    lockfile = Spate::Lockfile.parse("GEM\n  remote: https://one.test/\n  specs:\n    rack (1)\n\n" \
                                     "GEM\n  remote: https://two.test/\n  specs:\n    rack (1)\n")
    assert_equal [["https://two.test/"]], lockfile.specs.map { |spec| spec.source.remotes }
  end

  def test_empty_file
    assert_empty Spate::Lockfile.parse("").specs
  end

  # { name => [text, line of the error, message, hint] }
  REFUSED = {
    "conflict" => ["GEM\n  remote: https://one.test/\n<<<<<<< HEAD\n  specs:\n=======\n>>>>>>> b\n", 3,
                   /merge conflicts \(<<<<<<<\)/, /spate lock/],
    "conflict within a line" => ["GEM\n  specs:\n    rack (1) >>>>>>> b\n", 3, /merge conflicts/, /spate lock/],
    "byte order mark" => ["\uFEFFGEM\n  specs:\n", 1, /byte order mark/, /without one/],
    "invalid UTF-8" => ["GEM\n  specs:\n    r\xE9ck (1)\n", 3, /not UTF-8/, /spate lock/],
    "UTF-16" => ["GEM\n  specs:\n".encode("UTF-16LE").b, 1, /control character/, /spate lock/],
    "NUL" => ["GEM\n  specs:\n    ra\0ck (1)\n", 3, /control character/, /spate lock/],
    "lone carriage return" => ["GEM\r\n  specs:\r\n    ra\rck (1)\r\n", 3, /control character/, /spate lock/],
    "old Mac line ends" => ["GEM\r  specs:\r    rack (1)\r", 1, /control character/, /spate lock/],
    "huge line" => ["GEM\n  remote: #{"a" * 70_000}\n", 2, /more than 65536 bytes/, /spate lock/],
    "three spaces" => ["GEM\n  specs:\n   rack (1)\n", 3, /indented by 3 spaces/, /version control/],
    "five spaces" => ["GEM\n  specs:\n    rack (1)\n     foo (1)\n", 4, /indented by 5 spaces/, /    name/],
    "seven spaces" => ["GEM\n  specs:\n    rack (1)\n       foo\n", 4, /indented by 7 spaces/, /      name/],
    "tab" => ["GEM\n  specs:\n\track (1)\n", 3, /tab/, /version control/],
    "tab in dependencies" => ["DEPENDENCIES\n\track\n", 2, /tab/, /version control/],
    "one space" => ["DEPENDENCIES\n rack\n", 2, /indented by 1 spaces/, /  name/],
    "four spaces in dependencies" => ["DEPENDENCIES\n    rack\n", 2, /indented by 4 spaces/, /  name/],
    "indented first line" => ["  rack\n", 1, /before the first section/, /spate lock/],
    "header with spaces" => ["GEM  \n  specs:\n", 1, /"GEM" ends in spaces/, /remove/],
    "spec without version" => ["GEM\n  specs:\n    rack\n", 3, /cannot be read/, /name \(version\)/],
    "bad version" => ["GEM\n  specs:\n    rack (one)\n", 3, /cannot be read/, /name \(version\)/],
    "path in a name" => ["GEM\n  specs:\n    ../../rack (1)\n", 3, /cannot be read/, /name \(version\)/],
    "path in a platform" => ["GEM\n  specs:\n    rack (1-x/../y)\n", 3, /cannot be read/, /name \(version\)/],
    "spec before specs" => ["GEM\n  remote: https://one.test/\n    rack (1)\n", 3, /before `specs:`/, nil],
    "no specs" => ["GEM\n  remote: https://one.test/\n\nPLATFORMS\n  ruby\n", 4, /no `specs:` line/, /version control/],
    "need of no gem" => ["GEM\n  specs:\n      rack (1)\n", 3, /is not below a gem/, nil],
    "bad requirement" => ["GEM\n  specs:\n    a (1)\n      b (~> x)\n", 4, /"~> x" is not a version/, /~> 1/],
    "empty requirement" => ["DEPENDENCIES\n  rack ()\n", 2, /not a version requirement/, /~> 1/],
    "short checksum" => ["CHECKSUMS\n  rack (1) sha256=abc\n", 2, /not a SHA-256 digest/, /--add-checksums/],
    "checksum without digest" => ["CHECKSUMS\n  rack (1) sha256\n", 2, /has no digest/, /--add-checksums/],
    "base64 checksum that is too long" => ["CHECKSUMS\n  rack (1) sha256=#{"q" * 43}\n", 2, /not a SHA/, /checksums/],
    "two checksums" => ["CHECKSUMS\n  rack (1) sha256=#{"a" * 64},sha256=#{"b" * 64}\n", 2, /two different sha256/,
                        /--add-checksums/]
  }.freeze

  REFUSED.each do |name, (text, line, message, hint)|
    define_method("test_refuses_#{name.tr(" ", "_")}") do
      error = assert_raises(Spate::Lockfile::ParseError) { Spate::Lockfile.parse(text, path: "some.lock") }
      assert_match(message, error.message)
      assert_equal [line, 3], [error.line, error.exit_code]
      assert error.message.start_with?("some.lock:#{line}: "), error.message
      refute_includes error.message, "\n"
      hint ? assert_match(hint, error.hint) : assert_nil(error.hint)
    end
  end

  # `git checkout` can restore the file only in a repository.
  def test_the_hint_names_git_in_a_repository_only
    path = write("app/Gemfile.lock", "")
    refute_match(/git checkout/, hints(path).join)
    assert_match(/keep one side/, hints(path).first)
    write("app/.git", "gitdir: elsewhere\n")
    hints(path).each { |hint| assert_includes hint, "run `git checkout HEAD -- #{path}`" }
  end

  def hints(path)
    ["<<<<<<< HEAD\n", "\0\n"].map do |text|
      assert_raises(Spate::Lockfile::ParseError) { Spate::Lockfile.parse(text, path: path) }.hint
    end
  end

  def test_old_yaml_lockfile_has_no_known_section
    lockfile = Spate::Lockfile.parse("--- \nspecs: \n- rack: \n    version: 1.0.1\n")
    assert_empty lockfile.specs
  end

  # A pattern with backtracking would need minutes for these lines.
  def test_cost_grows_with_the_length_only
    lines = ["    a#{" (" * 30_000}", "    #{"a-" * 30_000}", "      a (#{">= 1, " * 10_000}", "  #{"(1)" * 20_000}"]
    lines.each do |line|
      assert_raises(Spate::Lockfile::ParseError) { Spate::Lockfile.parse("GEM\n  specs:\n    a (1)\n#{line}\n") }
    end
  end

  def test_runs_without_rubygems_and_loads_nothing_else
    write("Gemfile.lock", WHOLE)
    script = 'require "spate"; lockfile = Spate::Lockfile.parse(File.read(ARGV[0])); ' \
             "Spate::Planner.new(lockfile: lockfile).plan; puts lockfile.specs.size, defined?(Gem).inspect; " \
             'puts $LOADED_FEATURES.grep(%r{\A/}).grep_v(/spate/)'
    out, err, status = Open3.capture3(RbConfig.ruby, "--disable-gems", "-I#{File.expand_path("../../lib", __dir__)}",
                                      "-e", script, "#{folder}/Gemfile.lock")
    assert_predicate status, :success?, err
    size, gem, *loaded = out.lines(chomp: true)
    assert_equal %w[6 nil], [size, gem]
    assert_empty loaded.grep_v(/enc|monitor|thread/)
  end
end
