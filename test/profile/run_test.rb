# frozen_string_literal: true

require "profile/profile_case"

module Spate
  class ProfileRunTest < ProfileCase
    def test_program_runs_as_without_profiling
      output, status, = profile(command: ["./program.rb", "7"])

      assert_equal 7, status, output
      assert_includes output, "none\ndone [\"7\"] true ./program.rb\n"
      assert_match(/^the page: #{Regexp.escape(project.path("spate-profile.html"))}$/, output)
    end

    def test_own_and_total_times_by_gem
      _, _, (run,) = profile
      slow, greedy = %w[slow-gem-1.0 greedy-gem-1.0].map { |name| run["gems"].find { |gem| gem["name"] == name } }

      assert_equal run["gems"].map { |gem| gem["own"] }.sort.reverse, run["gems"].map { |gem| gem["own"] }
      assert_operator slow["own"], :>=, 200_000
      assert_operator slow["total"], :>=, slow["own"] + greedy["own"]
      assert_operator slow["cpu"], :>=, 200_000
      assert_operator greedy["gc"], :>, 0
      assert_equal 2, run["gems"].find { |gem| gem["name"] == "idle-gem-1.0" }["files"]
    end

    def test_shares_sum_to_the_total
      _, _, (run,) = profile
      sum = run["shares"].sum { |share| share["wall"] }

      assert_in_delta run["wall"], sum, run["wall"] * 0.02
      assert_operator run["shares"].find { |share| share["name"] == "run" }["wall"], :>=, 200_000
      assert_operator run["stat"]["files"], :>=, 5
    end

    def test_frames_nest_and_name_the_loaded_file
      _, _, (run,) = profile
      frames = frames(run)
      inner = frames.find { |frame| frame["path"]&.end_with?("/greedy_gem.rb") }
      paths = frames.filter_map { |frame| frame["path"] }

      assert_operator frames[inner["parent"]]["path"], :end_with?, "/slow_gem.rb"
      assert_equal [1], paths.tally.values_at(project.path("part.rb"))
      assert(paths.any? { |path| path.end_with?("/idle_gem/inside.rb") })
      assert(frames.all? { |frame| frame["own"] <= frame["wall"] })
    end

    def test_with_and_without_spate
      output, status, (with, without) = profile("--compare", "plain")

      assert_equal 0, status, output
      assert_equal ["spate exec", "bundle exec"], [with["mode"], without["mode"]]
      assert_equal({}, without["parts"])
      assert with["parts"].key?("replay")
      slow = [with, without].map { |run| run["gems"].find { |gem| gem["name"] == "slow-gem-1.0" } }
      assert(slow.all? { |gem| gem["own"] >= 200_000 })
      assert_equal 2, output.scan("none\ndone").size
    end

    def test_from_a_compile_cache
      project.spate!("boot", "build", "gems")
      _, _, (run,) = profile
      hit = frames(run).find { |frame| frame["path"]&.end_with?("/slow_gem.rb") }

      assert_equal "hit", hit["outcome"]
      assert_operator run["loader"]["hit"], :>=, 4
      assert_equal true, run["parts"]["loader"]
    end

    def test_compared_with_an_earlier_run
      profile("--output", "earlier.html")
      _, status, runs = profile("--compare", "earlier.html")

      assert_equal [0, 2], [status, runs.size]
      assert_equal %w[earlier.html earlier.json],
                   Dir.children(project.folder).grep(/earlier/).sort
    end

    def test_ruby_command_keeps_its_arguments
      output, status, (run,) = profile(command: ["ruby", "-e", "require 'slow_gem'; puts ARGV.first; exit 3", "word"])

      assert_equal 3, status, output
      assert_includes output, "word\n"
      assert_includes run["gems"].map { |gem| gem["name"] }, "slow-gem-1.0"
    end

    def test_rails_initializers_are_seen
      write("app/gems/idle-gem/lib/idle_gem/rails/initializable.rb", <<~RUBY)
        module Rails
          module Initializable
            Initializer = Struct.new(:name, :block) do
              def run(*) = block.call
              def initialize(name, &block) = (@block = block; super(name, block))
            end
          end
        end
      RUBY
      program = "require 'idle_gem/rails/initializable'\n" \
                "Rails::Initializable::Initializer.new(:set_up) { sleep 0.02 }.run"
      _, _, (run,) = profile(command: ["ruby", "-e", program])
      found = frames(run).find { |frame| frame["kind"] == "initializer" }

      assert_match(/\Aset_up/, found["name"])
      assert_operator run["shares"].find { |share| share["name"] == "initializers" }["wall"], :>=, 15_000
    end

    def test_command_that_is_not_a_ruby_program
      output, status, = profile(command: %w[sleep 0])

      assert_equal 2, status
      assert_match(/^error: sleep wrote no profile/, output)
    end

    def test_compare_with_an_invalid_profile
      write("app/other.json", "{}")
      output, status, = profile("--compare", "other.json")

      assert_equal 2, status
      assert_match(/^error: other.json is not a profile .*unknown format/, output)
      refute_match(/done/, output)
    end

    def test_unwritable_page_is_reported_before_the_command_runs
      none = project.path("none")
      { "none/page.html" => "not a directory: #{none}", "." => "it is a folder" }.each do |output, reason|
        told, status, = profile("--output", output)

        assert_equal 2, status
        path = File.expand_path(output, project.folder)
        assert_equal "error: #{path} cannot be written: #{reason}\nhint: use another --output FILE\n", told
      end
    end
  end
end
