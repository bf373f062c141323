# frozen_string_literal: true

require "test_helper"
require "pathname"
require "rbconfig"
require_relative "random_tree"

# Searches features in trees that change at random, and compares the results with Ruby's own search. SPATE_SEED repeats
# a run, SPATE_TEST_FULL makes it longer.
class ResolutionTest < Minitest::Test
  ORACLE = <<~'RUBY'
    require "pathname"
    $stdout.sync = true
    $stdin.set_encoding("UTF-8")
    while (line = $stdin.gets)
      entries, features = line.chomp.split("\0\0").map { |part| part.split("\0") }
      $LOAD_PATH.replace(entries.map { |entry| entry.start_with?("P:") ? Pathname.new(entry[2..]) : entry })
      print features.map { |feature| $LOAD_PATH.resolve_feature_path(feature)&.last.to_s }.join("\0"), "\n"
    end
  RUBY

  def setup
    @folder = File.realpath(Dir.mktmpdir("spate-test-"))
    (@folders ||= []) << @folder
    @seed = Spate.test_seed
    @random = Random.new(@seed)
    @tree = RandomTree.new(@folder, @random)
    @oracle = IO.popen([RbConfig.ruby, "--disable-gems", "-Ku", "-rpathname", "-e", ORACLE], "r+", chdir: @folder)
    @oracle.set_encoding("UTF-8")
    @load_path = $LOAD_PATH.dup
    @told = Hash.new(0)
  end

  def teardown
    $LOAD_PATH.replace(@load_path)
    Spate::Native::Requirer.use(nil)
    @oracle.close
    super
  end

  def test_finds_what_ruby_finds
    rounds = ENV["SPATE_TEST_FULL"] ? 3000 : 250
    Dir.chdir(@folder) { rounds.times { |round| play(round) } }
    assert_operator @told[:found], :>, rounds, "seed #{@seed}: #{@told}"
    assert_operator @told[:nowhere], :>, rounds, "seed #{@seed}: #{@told}"
    assert_operator @told[:unsure], :<, (@told[:found] + @told[:nowhere]) / 2, "seed #{@seed}: #{@told}"
  end

  private

  # Makes random edits, and simulates what follows: the running program a second later, a new boot with the same
  # load-path cache, or a new cache.
  def play(round)
    @random.rand(4).times { @tree.edit }
    case @random.rand(20)
    when 0
      @bytes = Spate::CompileCache::LoadPathCache.build(strings(@entries || []), extra_roots: roots)
      Spate::Native::Requirer.use(@bytes)
    when 1..3 then Spate::Native::Requirer.use(@random.rand(8) == 0 ? nil : @bytes)
    else Spate::Native::Requirer.forget
    end
    @entries = @tree.load_path if @entries.nil? || @random.rand(3) == 0
    compare(round, @entries, @tree.features)
  end

  def roots = RandomTree::ROOTS.sample(@random.rand(6), random: @random).map { |root| File.join(@folder, root) }
  def strings(entries) = entries.map { |entry| entry.delete_prefix("P:") }

  def compare(round, entries, features)
    expected = ask(entries, features)
    $LOAD_PATH.replace(entries.map { |entry| entry.start_with?("P:") ? Pathname.new(entry[2..]) : entry.dup })
    found = features.map { |feature| Spate::Native::Requirer.find(feature) }
    $LOAD_PATH.replace(@load_path)
    features.zip(expected, found) { |feature, right, answer| judge(round, feature, right, answer) }
  end

  def ask(entries, features)
    @oracle.puts([entries.join("\0"), features.join("\0")].join("\0\0"))
    @oracle.gets.chomp.split("\0", -1)
  end

  def judge(round, feature, right, answer)
    @told[{ nil => :unsure, false => :nowhere }.fetch(answer, :found)] += 1
    return if answer.nil?

    assert_equal right, answer || "", "seed #{@seed}, round #{round}: #{feature} in #{@entries}"
  end
end
