# frozen_string_literal: true

require "test_helper"
require "json"
require "support/profiled"

module Spate
  module Server
    # Profile::Recording reads the JSON of StackProf and Vernier. Profile::OutputFile writes profiles.
    class ProfileRecordingTest < Minitest::Test
      include Profiled

      # As returned by StackProf.results: main calls work, which is sampled twice at line 11 and once at line 12. One
      # garbage collection.
      STACKPROF = { "mode" => "cpu", "interval" => 1000, "samples" => 4, "missed_samples" => 1, "metadata" => {},
                    "frames" => { "1" => { "name" => "main", "file" => "/app/main.rb", "line" => 1 },
                                  "2" => { "name" => "App#work", "file" => "/app/work.rb", "line" => 10 },
                                  "3" => { "name" => "(garbage collection)", "file" => "" } },
                    "raw" => [2, 1, 2, 2, 1, 3, 1, 2, 1, 2, 1], "raw_lines" => [2, 3, 11, 2, 1, 0, 1, 2, 3, 12, 1] }
                  .freeze
      # As written by Vernier::Output::Firefox, without unused data: two samples of work, one idle.
      VERNIER = { "meta" => { "product" => "Ruby/Vernier",
                              "categories" => [{ "name" => "Ruby" }, { "name" => "Idle" }] },
                  "threads" => [{ "name" => "main", "stringArray" => %w[main App#work /app/main.rb /app/work.rb],
                                  "funcTable" => { "name" => [0, 1], "fileName" => [2, 3], "lineNumber" => [1, 10] },
                                  "frameTable" => { "func" => [0, 1], "line" => [3, 11] },
                                  "stackTable" => { "frame" => [0, 1, 0], "prefix" => [nil, 0, nil],
                                                    "category" => [0, 0, 1] },
                                  "samples" => { "stack" => [1, 2], "weight" => [2, 1] } }] }.freeze

      def path(name) = File.join(folder, name)
      def recording(output) = Profile::Recording.of(JSON.parse(JSON.generate(output)), "x.json")

      # Returns { method names, outermost first => microseconds }.
      def stacks(recording)
        recording.to_enum(:each_stack).to_h.transform_keys { |stack| stack.map(&:name) }
      end

      def test_stackprof
        read = recording(STACKPROF)

        assert_equal({ %w[main App#work] => 3000, ["(garbage collection)"] => 1000 }, stacks(read))
        assert_equal ["App#work", "/app/work.rb", 10, "application", [11, 2000, 12, 1000]], read.to_h[:frames][1]
        assert_equal({ "application" => 3000, "garbage collection" => 1000 }, read.to_h[:kinds])
        assert_equal [4, 4000, 1], [read.samples, read.total, read.facts["missed"]]
      end

      def test_samples_of_stackprof_share_the_cpu_time
        read = recording(STACKPROF.merge("metadata" => { "spate" => { "cpu" => 0.016 } }))

        assert_equal 16_000, read.total
      end

      def test_vernier
        read = recording(VERNIER)

        assert_equal({ %w[main App#work] => 2000, %w[main (idle)] => 1000 }, stacks(read))
        assert_equal({ "application" => 2000, "waiting" => 1000 }, read.to_h[:kinds])
        assert_equal "Ruby/Vernier", read.facts["profiler"]
      end

      def test_each_of_several_threads_is_a_frame
        expected = { %w[main main App#work] => 3000, %w[main main IO#wait] => 1000,
                     ["main", "(garbage collection)"] => 2000, ["other", "App#<b>&</script>"] => 4000 }

        assert_equal expected, stacks(known)
      end

      def test_the_methods_with_the_most_time_of_their_own
        assert_equal [["App#<b>&</script>", 0.4, 0.4], ["App#work", 0.3, 0.3]], known.top(2).map(&:to_a)
      end

      def test_without_samples
        empty = STACKPROF.merge("raw" => [], "raw_lines" => [], "samples" => 0)

        assert_equal [0, {}], recording(empty).to_h.values_at(:total, :kinds)
      end

      def test_damaged_files
        random = Random.new(7)
        [STACKPROF, VERNIER].each do |output|
          whole = JSON.generate(output)
          300.times do
            bytes = whole.dup
            random.rand(1..4).times { bytes.setbyte(random.rand(bytes.bytesize), random.rand(32..126)) }
            write("x.json", bytes)
            Profile::Recording.read(path("x.json"))
          rescue Profile::Unreadable
            next
          end
        end
        ["", "{}", "[]", '{"threads":[{}]}', "nothing", "\xff"].each do |text|
          write("x.json", text)
          assert_raises(Profile::Unreadable, text) { Profile::Recording.read(path("x.json")) }
        end
      end

      def test_a_page_of_a_file
        write("a.json", JSON.generate(STACKPROF))

        assert_equal path("a.html"), Profile.convert(path("a.json"), path("a.html"))
        assert_includes File.read(path("a.html")), "App#work"
        assert_raises(Profile::Unreadable) { Profile.convert(path("a.html"), path("b.html")) }
        assert_raises(Profile::Unreadable) { Profile.convert(path("a.json"), path("b.json")) }
      end

      def test_existing_numbered_files_are_kept
        write("a-#{Process.pid}-1.json", "mine")
        numbered = Profile::OutputFile.new(path("a.json"), pid: true, number: true)

        assert_equal path("a-#{Process.pid}-2.json"), numbered.write { |file| file.write("x") }
        assert_equal "mine", File.read(path("a-#{Process.pid}-1.json"))
        assert_raises(RuntimeError) { Profile::OutputFile.new(path("b.json")).write { raise "no" } }
        assert_empty Dir[path("b.json*")]
      end

      # Other users may create links in the same folder.
      def test_no_link_is_followed
        write("theirs", "kept")
        File.symlink(path("theirs"), path("c.json.#{Process.pid}"))
        Profile::OutputFile.new(path("c.json")).write { |file| file.write("mine") }
        assert_equal %w[kept mine], [File.read(path("theirs")), File.read(path("c.json"))]
      end
    end
  end
end
