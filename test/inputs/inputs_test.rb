# frozen_string_literal: true

require_relative "inputs_case"
require "digest"

module Spate
  class InputsTest < InputsCase
    def test_each_kind_holds_and_reports_its_change
      file = write_old("lib/a.h", "one")
      changes = {
        [:file, file] => [:content, -> { File.write(file, "two") }],
        [:looked, file] => [:mode, -> { File.chmod(0o600, file) }],
        [:listed, bundle("lib")] => [:listing, -> { FileUtils.touch(bundle("lib/new")) }],
        [:absent, bundle("lib/b.h")] => [:appeared, -> { File.symlink("nowhere", bundle("lib/b.h")) }],
        [:link, bundle("link")] => [:target, -> { File.delete(bundle("link")) && File.symlink("x", bundle("link")) }],
        [:run, bundle("tool")] => [:gone, -> { File.delete(bundle("tool")) }]
      }
      File.symlink("lib", bundle("link"))
      write_old("tool", "#!/bin/sh\n")
      changes.each do |(kind, path), (reason, change)|
        record([kind, path])
        assert_holds
        change.call
        assert_changed reason, path
      end
    end

    def test_changes_before_and_after_the_start
      path = write("file", "")
      50.times do |i|
        File.write(path, i.to_s)
        start = Inputs.start
        assert_operator File.stat(path).ctime, :<, start
        File.write(path, i.to_s)
        assert_operator File.stat(path).ctime, :>=, start
      end
    end

    def test_times_in_whole_seconds
      start = Time.at(100, 500_000_000, :nsec)
      assert Inputs.since?(Time.at(100), start), "of a change in this second, perhaps"
      assert Inputs.since?(Time.at(99), start), "of a file system with times in two seconds"
      refute Inputs.since?(Time.at(98), start)
      refute Inputs.since?(Time.at(100, 499_999_999, :nsec), start)
      assert Inputs.since?(start, start)
    end

    def test_touched_file_holds_and_the_record_is_renewed
      file = write_old("a", "one")
      record([:file, file])
      FileUtils.touch(file)
      grow_old
      assert_equal :renew, check
      assert_equal :renewed, check(renew_to: @record)
      assert_holds
    end

    def test_folder_that_others_write_to_causes_no_renewal
      write_old("kept")
      record([:absent, bundle("none.h")], [:listed, bundle])
      File.delete(write_old("other"))
      grow_old
      assert_holds
    end

    def test_record_holds_where_it_cannot_be_renewed
      file = write_old("a", "one")
      record([:file, file])
      FileUtils.touch(file)
      grow_old
      assert_equal :renew, check(renew_to: "#{@root}/no/such/folder/record")
    end

    def test_the_environment_of_this_process_and_one_that_is_given
      record([:environment, "SPATE_INPUTS_TEST"], [:environment, "CC"], env: { "CC" => "gcc", "CXX" => nil })
      assert_holds env: { "CC" => "gcc" }
      assert_changed :value, "CC", env: {}
      assert_changed :value, "SPATE_INPUTS_TEST", env: { "CC" => "gcc", "SPATE_INPUTS_TEST" => "" }
      record([:environment, "SPATE_INPUTS_TEST"])
      assert_holds
      ENV["SPATE_INPUTS_TEST"] = "set"
      assert_changed :value, "SPATE_INPUTS_TEST"
    ensure
      ENV.delete("SPATE_INPUTS_TEST")
    end

    def test_a_processor
      record([:processor, nil])
      assert_holds
    end

    def test_record_as_a_string_or_a_file
      record([:file, write_old("a", "one")])
      assert_nil Inputs.check(File.binread(@record), @roots)
      assert_equal Inputs.each(@record).to_a, Inputs.each(File.binread(@record)).to_a
    end

    def test_a_copied_tree_without_stamps_holds_by_its_content
      write_old("lib/a.h", "one")
      record([:file, bundle("lib/a.h")], [:absent, bundle("lib/none/b.h")], [:listed, bundle("lib")],
             [:looked, bundle], portable: true)
      FileUtils.cp_r(bundle, "#{@root}/moved")
      FileUtils.rm_rf(bundle)
      grow_old
      roots = { "bundle" => "#{@root}/moved" }
      assert_equal :renewed, check(roots: roots, renew_to: @record)
      assert_holds roots: roots
      assert_changed :root, "bundle", roots: {}
    end

    def test_the_same_without_stamps_is_one_for_another_machine
      inputs = [[:file, write_old("a", "one")], [:looked, "/usr"], [:absent, "#{@root}/none"], [:environment, "LANG"]]
      record(*inputs, portable: true)
      expected = File.binread(@record)
      record(*inputs)
      assert_equal [expected, expected], [Inputs.portable(@record), Inputs.portable(File.binread(@record))]
      assert_raises(ArgumentError) { Inputs.portable("#{expected}x") }
    end

    def test_entries_of_a_record
      write_old("lib/a.h", "one")
      File.symlink(bundle("lib"), bundle("link"))
      record([:file, bundle("lib/a.h")], [:link, bundle("link")], [:absent, "/nowhere/at/all"], [:environment, "NONE"])
      found = Inputs.each(@record).to_a
      assert_equal [[:environment, nil, "NONE", {}], [:absent, nil, "/nowhere/at/all"]], [found[0], found[1].first(3)]
      assert_equal [:link, "bundle", "link", { target: "lib", target_root: "bundle" }], found[2]
      assert_equal [:file, "bundle", "lib/a.h", { sha256: Digest::SHA256.hexdigest("one"), mode: 0o100644, size: 3,
                                                  stamped: true }], found[3]
    end

    def test_changed_file_is_not_recorded
      file = write_old("a", "two")
      assert_equal ["differs from what was read", file],
                   Inputs.record(@record, [[:file, file, Digest::SHA256.hexdigest("one")]], @roots)
      assert_nil Inputs.record(@record, [[:file, file, Digest::SHA256.hexdigest("two")]], @roots)
    end

    def test_invalid_arguments
      [[[:nothing, "/a"]], [["file", "/a"]], [[:file, 1]], [[:file, "/a\0b"]], [[:file, "/a", "abc"]],
       [[:file, "/a", nil, :other]], [nil], nil].each do |entries|
        assert_raises(ArgumentError, TypeError) { Inputs.record(@record, entries, {}) }
      end
      assert_raises(ArgumentError) { Inputs.record(@record, [[:file, "relative"]], {}) }
      assert_raises(Errno::ENOENT) { Inputs.record("#{@root}/no/folder", [], {}) }
      refute_path_exists @record
    end

    def test_unusable_record
      assert_equal :record, check.first
      File.binwrite(@record, "SPATEIN1 and so on")
      assert_equal :record, check.first
      assert_raises(ArgumentError) { Inputs.each(@record).to_a }
    end

    def test_sentences
      assert_equal "/usr/include/libpq-fe.h changed", Inputs.explain(:content, "/usr/include/libpq-fe.h", :file)
      assert_equal "CC has another value", Inputs.explain(:value, "CC")
    end

    def test_memo_checks_once_for_all_threads
      file = write_old("a", "one")
      record([:file, file])
      memo = Inputs::Memo.new
      assert_equal([nil] * 8, Array.new(8) { Thread.new { check(memo: memo) } }.map(&:value))
      File.write(file, "two")
      assert_holds memo: memo
      memo.forget
      assert_changed :content, file, memo: memo
    end

    # With a garbage collection at each allocation, objects in use must not be freed.
    def test_under_stress
      file = write_old("a", "one")
      GC.stress = true
      record([:file, file], [:environment, "CC"], [:absent, bundle("b")], env: { "CC" => "gcc" })
      assert_holds env: { "CC" => "gcc" }, memo: Inputs::Memo.new
      Inputs.each(@record).to_a
    ensure
      GC.stress = false
    end

    def test_other_threads_run_during_hashing
      file = write_old("large", "x" * 60_000_000)
      ticks = 0
      other = Thread.new { loop { (ticks += 1) && sleep(0.001) } }
      sleep 0.01
      before = ticks
      record([:file, file])
      assert_operator ticks - before, :>, 3
    ensure
      other&.kill
    end

    def test_an_interrupt_ends_the_writing
      file = write_old("large", "x" * 60_000_000)
      thread = Thread.new { Inputs.record(@record, [[:file, file], [:file, "/bin/sh"]], @roots) }
      thread.report_on_exception = false
      sleep 0.005
      thread.kill
      assert thread.join(5)
    end
  end
end
