# frozen_string_literal: true

require "test_helper"
require "rubygems"
require "open3"
require "support/addressing_rubygems"
require "support/gem_eras"

# PlainMetadata must read the same values as RubyGems, or leave the metadata to RubyGems.
class PlainMetadataTest < Minitest::Test
  include Spate::Specification

  Expected = Struct.new(:full_name, :content_address)
  BARE = Samples::BARE
  FULL = Samples::FULL
  MUTATIONS = ENV["SPATE_TEST_FULL"] ? 20_000 : 1_500

  def dialect = @dialect ||= Dialect.learn(store, "rubygems-test", folder)
  def store = @store ||= Spate::Store.open(home: File.join(folder, "home"), env: {})
  def folder = @folder ||= super

  # RubyGems' result: [Expected, the texts from RubygemsMetadata], or nil if it rejects the metadata. It determines the
  # full name, so that only the other attributes are compared.
  def theirs(yaml)
    spec = Gem::Specification.from_yaml(yaml)
    expected = Expected.new(spec.full_name)
    metadata = RubygemsMetadata.read(yaml, expected)
    metadata.ensure_runs_here
    [expected, said(metadata, spec.executables, folder)]
  rescue StandardError
    nil
  end

  def said(metadata, executables, *scratch)
    lines = executables.to_h { |name| [name, "#!/usr/bin/env ruby\n"] }
    [metadata.facts(["lib/rubygems_plugin.rb"], verified: "index").to_s, metadata.generate(lines, *scratch).to_s]
  end

  def mine(yaml, expected)
    metadata = PlainMetadata.read(yaml, expected, dialect)
    metadata && said(metadata, metadata["executables"])
  end

  # Asserts the same result as RubyGems'. Returns whether the metadata was read without RubyGems.
  def assert_same(yaml)
    expected, others = theirs(yaml)
    expected ||= Expected.new("#{yaml[/^name: (\S+)/, 1]}-#{yaml[/^  version: '?([^'\n]+)/, 1]}")
    own = mine(yaml, expected) or return false

    assert_equal others, own, "RubyGems reads this in another way:\n#{yaml}"
    true
  end

  def test_dialect_of_this_rubygems_is_detected_and_stored
    assert_instance_of Dialect, dialect
    recalled = Dialect.recall(store, "rubygems-test")

    assert_equal dialect.to_s, recalled.to_s
    assert_nil Dialect.recall(store, "rubygems-other")
  end

  # RubyGems 4.1 has a separate YAML reader, and supports content addresses.
  def test_metadata_under_rubygems_with_content_addresses
    missing = AddressingRubygems.missing and skip missing
    environment = AddressingRubygems.environment
    skip "this RubyGems knows them" if environment.empty? || ENV["RUBYLIB"] == environment["RUBYLIB"]

    root = File.expand_path("../..", __dir__)
    output, status = Open3.capture2e({ "RUBYOPT" => nil, **environment.slice("RUBYLIB") },
                                     RbConfig.ruby, "-Itest", "-Ilib", __FILE__, chdir: root)
    assert_predicate status, :success?, output
    assert_match(/ 1 skips/, output)
  end

  def test_a_path_gem_gets_the_wrapper_that_rubygems_writes
    spec = Struct.new(:name, :version, :bindir, :executables).new("made-up", "1.0", "exe", %w[one two.rb])

    assert_equal RubygemsMetadata.wrappers(*spec.to_a.values_at(0, 1, 3), "#{folder}/texts", bindir: "exe"),
                 spec.executables.to_h { |name| [name, dialect.wrapper(spec.name, name)] }
    assert dialect.wraps?(spec)
    refute dialect.wraps?(spec.dup.tap { |bundler| bundler.name = "bundler" })
  end

  def test_rubygems_with_another_format_has_no_dialect
    store.write("checks", Dialect.send(:key, "rubygems-test"), "")

    assert_equal false, Dialect.recall(store, "rubygems-test")
    (Writer::STYLES - [dialect.style]).each do |style|
      changed = Dialect.new(style: style, psych: dialect.psych?, version: dialect.version,
                            ruby_version: dialect.ruby_version, platforms: dialect.platforms,
                            wrapper: dialect.wrapper(*Dialect::TOKENS))
      refute(Samples.all.all? { |sample| changed.same?(sample, folder) }, style)
    end
  end

  SCALARS = [
    "plain words", "two lines\n  of text", "lines\n\n  and a break", "'it''s'", "'two\n  lines, ''quoted'''",
    "'  edges\n\n  '", "\"a\\n\\\"b\\\" \\u00e9 \\x41\"", "\"long \\\n  \\ line\\\n  s\"", "\" a\n  b \"",
    "|\n  one\n    two\n\n  three", "|-\n  one\n", "|+\n  one\n\n", "|2\n    one\n  two", "! 'marked'",
    "https://example.test/a#b", "a: b", "a #b", "5.a", "1.2.3", "1.2", "12", "0x1f", "1_000", "1e3", ".5", "yes",
    "No", "null", "~", "~> 1", "12:30", "2020-01-01", ":sym", "&a b", "*a", "!x y", "[a]", "{a: b}", "%a", "@a",
    "`a`", "- a", "-a", "--main", "? a", ">\n  folded\n  text", "\"\\q\"", "\"open", "'open", "\u00e9t\u00e9",
    "a\tb", "\u2028a", "<<", "=", "a\n   # no comment", "nan", ".inf", "a,b", "|\n\n  late", "|3\n     x",
    "'a\n\n\n  b'", "on\n\n  on", "! '12'", "! 'yes\n\n  '", "! '>='", "! '%w: x'",
    "\"a\\\n\n  b\"", "word  ", "\"\\_\"", "trailing:", "1.0.0.pre1", "3D things"
  ].freeze

  def test_scalars_equal_those_of_psych
    read = SCALARS.count { |scalar| assert_same(BARE.sub("summary: nothing", "summary: #{scalar}")) }

    assert_operator read, :>, dialect.psych? ? 20 : 15
    SCALARS.each do |scalar|
      assert_same(FULL.sub("- MIT", "- #{scalar}"))
      assert_same(FULL.sub("source_code_uri: b", "source_code_uri: #{scalar.gsub("\n", "\n  ")}"))
    end
  end

  def test_formats_of_older_rubygems_are_read
    old = FULL.gsub('- - ">="', "- - ! '>='").gsub("email:\n- a@b.test", "email:\n-\n- a@b.test")

    assert_equal dialect.psych?, assert_same(old)
    assert assert_same("#{FULL}...\n")
    nested = FULL.gsub(/^( *)- - (.*)\n *- (.*)\n *(version.*)/, "\\1-\n\\1  - \\2\n\\1  - \\3\n\\1      \\4")

    assert assert_same(nested)
  end

  # Psych writes an alias if an object occurs twice. The content of file lists is not part of the dialect.
  def test_requirement_with_an_alias_and_any_list_of_files_are_read
    twice = FULL.gsub("  requirement: !ruby", "  requirement: &70154898013400 !ruby")
                .gsub(/^  prerelease: .*\n/, "\\0  version_requirements: *70154898013400\n")
    number = 0
    twice.gsub!("70154898013400") { (70_154_898_013_400 + ((number += 1) / 2.0).ceil).to_s }

    assert_equal 2, twice.scan("version_requirements: *701548980134").size
    assert assert_same(twice)
    assert assert_same(FULL.sub(/^files: .*\n/, "files:\n- a.b\n- '1.0'\n- 2020-01-01\n- .rspec\n- a b::c#d\n"))
    ["\"\\q\"", ":symbol", "!ruby/object:Object {}", "a: [", "two\n  lines", "*a"].each do |name|
      refute assert_same(FULL.sub(/^files: .*\n/, "files:\n- lib\n- #{name}\n"))
    end
  end

  def test_metadata_of_another_gem_or_an_unusual_one_is_left_to_rubygems
    assert_nil PlainMetadata.read(BARE, Expected.new("other-1.0"), dialect)
    ["name: ../x", "name: bundler", "name:", "platform: weird-os"].each do |line|
      refute assert_same(BARE.sub(/^#{line[/\w+/]}:.*/, line))
    end
    refute assert_same(BARE.sub("version: '0'", "version: '99'"))
    refute assert_same(BARE.sub("summary:", "summary: a\nsummary:"))
    refute assert_same(BARE.sub("summary:", "unknown: a\nsummary:"))
  end

  def test_mutated_metadata_is_read_the_same_or_left_to_rubygems
    random = Random.new(20_261_121)
    mutants = GemEras::Mutants.of([BARE, FULL], MUTATIONS, random).each_value
    read = mutants.count { |text| assert_same(text) }

    assert_operator read, :>, MUTATIONS / 20
  end
end
