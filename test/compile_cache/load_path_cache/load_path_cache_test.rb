# frozen_string_literal: true

require "test_helper"
require "support/interruptions"

class IndexTest < Minitest::Test
  include Interruptions

  LoadPathCache = Spate::CompileCache::LoadPathCache
  Requirer = Spate::Native::Requirer

  def setup
    @one = File.dirname(write("one/a.rb", ""))
    @two = File.dirname(write("two/a.rb", ""))
    write("two/b/c.so", "")
    sleep 0.05 # folders changed within the last 20 ms are not listed
    @load_path = $LOAD_PATH.dup
  end

  def teardown
    $LOAD_PATH.replace(@load_path)
    Requirer.use(nil)
    super
  end

  def test_same_path_has_the_same_fingerprint
    print = print_of([@one, @two])
    assert_equal print, print_of([@one.dup, @two.dup])
    refute_equal print, print_of([@two, @one])
    refute_equal print, print_of([@one])
    assert_equal print_of([@one]), print_of([@one], extra_roots: [@two])
    refute_equal print_of(["/a", "/b"]), print_of(["/a/b"])
    assert_nil Spate::Native::LoadPathCache.facts("damaged")
  end

  def print_of(...) = Spate::Native::LoadPathCache.facts(LoadPathCache.build(...))[:fingerprint]

  def test_it_counts_what_is_in_it
    facts = Spate::Native::LoadPathCache.facts(LoadPathCache.build([@one, @two]))
    assert_equal({ roots: 2, directories: 3, features: 2, candidates: 3 }, facts.slice(:roots, :directories, :features,
                                                                                       :candidates))
  end

  def test_unscanned_folders_are_searched_on_demand
    write("one/big/d.rb", "")
    write("two/big/e.rb", "")
    sleep 0.05
    ["big,x", "#{@one}/big,#{@two}/big", "#{@one}/big"].zip([2, 2, 3]) do |ignored, features|
      bytes = LoadPathCache.build([@one, @two], ignored: ignored)
      assert_equal features, Spate::Native::LoadPathCache.facts(bytes)[:features], ignored
      Requirer.use(bytes)
      $LOAD_PATH.replace([@one, @two])
      assert_equal File.realpath("#{@one}/big/d.rb"), Requirer.find("big/d")
    end
    assert_equal 4,
                 Spate::Native::LoadPathCache.facts(LoadPathCache.build([@one, @two],
                                                                        ignored: "bi,ig,/big,"))[:features]
  end

  def test_damaged_bytes_are_refused
    bytes = LoadPathCache.build([@one])
    bytes.setbyte(bytes.bytesize - 1, bytes.getbyte(bytes.bytesize - 1) ^ 1)
    assert_raises(ArgumentError) { Requirer.use(bytes) }
    assert_raises(ArgumentError) { Requirer.use("") }
  end

  def test_unchanged_folders_are_not_listed
    Requirer.use(LoadPathCache.build([@one, @two]))
    before = Requirer.counts
    $LOAD_PATH.replace([@one, @two])
    assert_equal File.realpath("#{@one}/a.rb"), Requirer.find("a")
    assert_equal before[:listings], Requirer.counts[:listings]
  end

  def test_each_folder_is_statted_once_a_second
    sleep 1.05 # folders changed within the last second are checked each time
    Requirer.use(LoadPathCache.build([@one, @two]))
    $LOAD_PATH.replace([@one, @two])
    Requirer.find("a")
    before = Requirer.counts[:stats]
    100.times { Requirer.find("b/c") }
    assert_operator Requirer.counts[:stats] - before, :<=, 3
  end

  def test_folder_changed_just_now_is_checked_each_time
    Requirer.use(nil)
    $LOAD_PATH.replace([@one, @two])
    write("two/c.rb", "")
    20.times do
      assert_equal File.realpath("#{@two}/c.rb"), Requirer.find("c")
      write("one/c.rb", "")
      assert_equal File.realpath("#{@one}/c.rb"), Requirer.find("c")
      File.unlink("#{@one}/c.rb")
    end
  end

  # As documented in docs/boot.md: a running program finds the file within a second, a new one at once.
  def test_a_file_that_comes_before_another_is_seen_within_a_second
    write("two/d.rb", "")
    sleep 1.05
    bytes = LoadPathCache.build([@one, @two])
    Requirer.use(bytes)
    $LOAD_PATH.replace([@one, @two])
    assert_equal File.realpath("#{@two}/d.rb"), Requirer.find("d")
    write("one/d.rb", "")
    sleep 1.05
    assert_equal File.realpath("#{@one}/d.rb"), Requirer.find("d")
    File.unlink("#{@one}/d.rb")
    Requirer.use(bytes)
    assert_equal File.realpath("#{@two}/d.rb"), Requirer.find("d")
  end

  # An interrupted build must not leave a load-path cache or allocated memory. Missing roots make the build long.
  def test_an_interrupted_build_leaves_no_memory_behind
    roots = Array.new(500) { |number| "/none-#{number}/#{"x/" * 1900}" }
    assert_operator Spate::Native::LoadPathCache.build(roots, 0).bytesize, :>, 1_900_000
    before = resident
    20.times { interrupted { Spate::Native::LoadPathCache.build(roots, 0) } }
    assert_operator resident - before, :<, 20_000_000
  end

  # Ruby calls to_path on an entry that is not a String. That method can do anything.
  def test_index_is_replaced_while_to_path_of_an_entry_runs
    entry = Object.new
    path = @one
    entry.define_singleton_method(:to_path) do
      Requirer.use(nil) if (@times = @times.to_i + 1) == 1
      path
    end
    Requirer.use(LoadPathCache.build([@one, @two]))
    $LOAD_PATH.replace([entry, @two])
    assert_nil Requirer.find("a"), "it used the state of another load-path cache"
    assert_equal File.realpath("#{@one}/a.rb"), Requirer.find("a")
  end

  def test_explains
    Requirer.use(nil)
    $LOAD_PATH.replace([@one, @two, *@load_path])
    explained = LoadPathCache.explain("a")
    assert_equal [true, "the first in $LOAD_PATH, at 0"], [explained[:chosen].end_with?("/one/a.rb"), explained[:why]]
    assert_equal ["chosen", "after the chosen one in $LOAD_PATH"], explained[:candidates].map { |one| one[:why] }
    assert_equal "not found in $LOAD_PATH", LoadPathCache.explain("none")[:why]
    assert_nil LoadPathCache.explain("./a")[:chosen]
  end
end
