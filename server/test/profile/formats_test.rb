# frozen_string_literal: true

require "test_helper"
require "json"
require "support/profiled"

module Spate
  module Server
    # What is written and read: nothing gets lost between the formats but what they have no room for.
    class ProfileFormatsTest < Minitest::Test
      include Profiled

      def path(name) = File.join(folder, name)

      def written(name)
        Profile::Format.write(known, path(name))
        path(name)
      end

      def test_the_dump_is_what_stackprof_answers
        dump = Marshal.load(File.binread(written("a.dump"))) # rubocop:disable Security/MarshalLoad
        work = dump[:frames].values.find { |frame| frame[:name] == "App#work" }

        assert_equal [1.2, :cpu, 1000, 10, 2], dump.values_at(:version, :mode, :interval, :samples, :gc_samples)
        assert_equal({ name: "App#work", file: "/app/work.rb", line: 10, samples: 3, total_samples: 3,
                       lines: { 11 => [3, 3] } }, work)
        main = dump[:frames].values.find { |frame| frame[:name] == "main" }

        assert_equal [0, 4, { 3 => 3, 4 => 1 }, { 2 => [3, 0], 3 => [1, 0] }],
                     main.values_at(:samples, :total_samples, :edges, :lines)
        assert_equal [2, 2, 3, 2, 2, 2, 3, 1, 2, 2, 4, 1, 1, 1, 2, 1, 5, 4], dump[:raw]
        assert_equal [2, 2, 11, 2], dump[:raw_lines].first(4)
        assert_equal [10, 10], dump.values_at(:raw_sample_timestamps, :raw_timestamp_deltas).map(&:size)
      end

      def test_stacks_survive_every_format
        expected = stacks(known)

        %w[a.dump a.json].each do |name|
          read = Profile::Format.read(written(name))

          assert_equal expected, stacks(read), name
          assert_equal known.total, read.total
        end
        Profile.convert(path("a.dump"), path("b.json"))
        Profile.convert(path("b.json"), path("c.dump"))

        assert_equal expected, stacks(Profile::Format.read(path("c.dump")))
      end

      def test_weights_are_whole_microseconds
        tree = Profile::Tree.new
        tree.add([[0, 0]])
        frames = [Profile::Recording::Frame.new("a")]
        odd = Profile::Recording.new(frames: frames, tree: tree, samples: [1, 1234, 1, 7, 0])
        Profile::Format.write(odd, path("a.json"))

        assert_equal 1234, Profile::Format.read(path("a.json")).total
      end

      # docs-developer/CHANGELOG-formats.md and src/types/profile.ts of the Firefox profiler.
      def test_tables_of_the_firefox_profiler
        profile = JSON.parse(File.read(written("a.json")))

        assert_equal [48, 28, true], profile["meta"].values_at("preprocessedProfileVersion", "version", "symbolicated")
        assert_includes profile["meta"]["categories"].map { |category| category["color"] }, "grey"
        assert_equal %w[main other], profile["threads"].map { |thread| thread["name"] }
        profile["threads"].each { |thread| check_tables(thread) }
        samples = profile["threads"].first["samples"]

        assert_equal ["tracing-ms", [2.0, 1.0, 1.0, 2.0], [0.5, 2.5, 3.5, 5.5]],
                     samples.values_at("weightType", "weight", "time")
      end

      def check_tables(thread)
        tables = thread.values_at("samples", "stackTable", "frameTable", "funcTable", "resourceTable", "nativeSymbols",
                                  "markers")
        tables.each do |table|
          table.each { |name, column| assert_equal table["length"], column.size, name if column.is_a?(Array) }
        end
        stack, frame, function = tables[1, 3]

        assert(stack["prefix"].each_with_index.all? { |prefix, index| prefix.nil? || prefix < index })
        assert(stack["frame"].all? { |row| row < frame["length"] })
        assert(frame["func"].all? { |row| row < function["length"] })
        assert(function["name"].all? { |row| thread["stringArray"][row].is_a?(String) })
      end

      def test_an_empty_recording
        empty = Profile::Recording.new(frames: [], tree: Profile::Tree.new, samples: [])
        %w[a.dump a.json a.html].each { |name| Profile::Format.write(empty, path(name)) }

        assert_equal 0, Profile::Format.read(path("a.dump")).count
        assert_equal 0, Profile::Format.read(path("a.json")).count
      end

      # What Marshal would make objects of does not get so far.
      def test_a_dump_that_is_more_than_data
        [Object.new, Struct.new(:a), 1..2, { a: String }, /x/, Time.now, [Comparable]].each do |value|
          bytes = begin
            Marshal.dump(value)
          rescue TypeError
            Marshal.dump(Rational(1, 2))
          end
          error = assert_raises(Profile::Unreadable, value.inspect) { Profile::SafeMarshal.load(bytes, "x.dump") }

          assert_match(/no plain marshalled data/, error.message)
        end
      end

      def test_plain_data_passes
        data = { 1 => [-1, 0, 300, -70_000, 1 << 40, -(1 << 70), 1.5, nil, true, false, :"ä", "ü", "\xff".b, "a"],
                 b: {} }

        assert_equal data, Profile::SafeMarshal.load(Marshal.dump(data), "x.dump")
      end

      def test_damaged_files
        whole = File.binread(written("a.dump"))
        random = Random.new(7)
        300.times do
          bytes = whole.dup
          random.rand(1..4).times { bytes.setbyte(random.rand(bytes.bytesize), random.rand(256)) }
          bytes = bytes.byteslice(0, random.rand(bytes.bytesize)) if random.rand(3).zero?
          Profile::Format::Stackprof.read(bytes, "x.dump")
        rescue Profile::Unreadable
          next
        end
        ["", "{}", "[]", '{"threads":[{}]}', "nothing"].each do |text|
          assert_raises(Profile::Unreadable) { Profile::Format::Firefox.read(text, "x.json") }
        end
        assert_raises(Profile::Unreadable) { Profile::Format.read(written("a.html")) }
      end

      def test_a_file_is_replaced_only_under_its_own_name
        write("a-#{Process.pid}-1.dump", "mine")
        numbered = Profile::OutputFile.new(path("a.dump"), pid: true, number: true)

        assert_equal path("a-#{Process.pid}-2.dump"), numbered.write { |file| file.write("x") }
        assert_equal "mine", File.read(path("a-#{Process.pid}-1.dump"))
        assert_raises(RuntimeError) { Profile::OutputFile.new(path("b.dump")).write { raise "no" } }
        assert_empty Dir[path("b.dump*")]
      end

      # In a folder where others may write, too.
      def test_no_link_is_followed
        write("theirs", "kept")
        File.symlink(path("theirs"), path("c.dump.#{Process.pid}"))
        Profile::OutputFile.new(path("c.dump")).write { |file| file.write("mine") }
        assert_equal %w[kept mine], [File.read(path("theirs")), File.read(path("c.dump"))]
      end
    end
  end
end
