# frozen_string_literal: true

require "test_helper"
require_relative "node_semver"

module Spate
  class NpmSemverTest < Minitest::Test
    Semver = JS::Npm::Semver

    VERSIONS = %w[0.0.0 0.0.1 0.0.1-0 0.0.1-alpha 0.1.0 0.1.2 0.1.2-beta.1 0.2.0 1.0.0 1.0.0-0 1.0.0-alpha 1.0.0-alpha.1
                  1.0.0-rc.1 1.1.0 1.2.0 1.2.2 1.2.3 1.2.3-pre 1.2.3-pre.2 1.2.3+build 1.2.4 1.3.0 1.10.0 2.0.0
                  2.0.0-0 2.0.0-beta 2.1.0 3.0.0 9.9.9 10.0.0 20.19.5 22.1.0 v1.2.3 =1.2.3 1.2 01.2.3 1.2.3beta
                  1.2.3.4 x nothing 99999999999999999.1.1].push("", " 1.2.3 ").freeze
    PARTS = %w[0 1 2 3 10 x X *].freeze
    TAILS = %w[-0 -alpha -alpha.1 -beta.2 -pre +build -rc.1+5 beta].freeze
    OPERATORS = ["", "", "", "^", "~", "~>", ">", ">=", "<", "<=", "=", "^ ", "~ ", ">= ", "< ", "v", "=v"].freeze
    KNOWN = ["", "*", "x", "X.1", "1.x || >=2.5.0 || 5.0.0 - 7.2.3", "^0.0", "^0.x", "^0.0.x", "^1.x", "latest",
             "^14.17.0 || ^16.13.0 || >=18.0.0", ">=0.0.0", ">=0.0.0-0", "<0.0.0-0", "1 - 2", "1.2 - 2", "1.2.3 - 2.3",
             "1.2.3-pre - 1.2.4-0", "~1.2.3-pre", "^1.2.3-pre.2", "^0.0.1-0", "^0.1.2-beta.1", "> 1", "<= 1.x", "< x",
             ">*", "<*", ">=*", "|| 1", "1 ||", "1||2", ">1 <2", ">=1.0.0-alpha <2", "1.2.3 1.2.3", "01.2", ">01.2.3",
             "1.2.3beta", "^1.2.3beta", ">=1.2.3 foo", "foo || 1", "node >= 1", "1.2.3.4", "^99999999999999999",
             "~> 1.2", ">=1.2.3-0", "=1", "==1.2.3", "!1.2", "^ 1.2.3", "> = 1.2", ">=v1.2", "1.2.3 -2.0.0",
             "a - b", "* - 2", "1 - *", "1.* - 2", "git+ssh://x", "npm:a@1", " 1 ", "1.2.3\t||\n2", "^*", "~*", "^x.1",
             "* || 1.2.3-pre", "1.2.3-pre || x >=X", ">1.0.0-0||* x.X.0"]
            .freeze

    def setup
      skip "no npm" unless NodeSemver.folder
      skip "no node" unless system("node --version", out: File::NULL, err: File::NULL)
    end

    def test_known_ranges_are_parsed_like_npm = compare(KNOWN)

    def test_random_ranges_are_parsed_like_npm
      random = Random.new(Integer(ENV.fetch("SEED", Random.new_seed.to_s)))

      compare(Array.new(600) { range(random) }, "SEED=#{random.seed}")
    end

    private

    def range(random)
      Array.new(random.rand(1..3)) do
        next "#{version(random)} - #{version(random)}" if random.rand(6).zero?

        Array.new(random.rand(1..2)) { OPERATORS.sample(random: random) + version(random) }.join(" ")
      end.join([" || ", "||"].sample(random: random))
    end

    def version(random)
      parts = Array.new(random.rand(1..3)) { PARTS.sample(random: random) }
      parts.join(".") + (random.rand(3).zero? && parts.size == 3 ? TAILS.sample(random: random) : "")
    end

    def compare(ranges, whence = nil)
      questions = VERSIONS.product(ranges, [true, false], [true, false])
      answers = NodeSemver.ask(questions)
      wrong = questions.zip(answers).reject do |(version, range, loose, prereleases), answer|
        Semver.satisfies?(version, range, loose: loose, prereleases: prereleases) == answer
      end

      assert_empty wrong.first(12), "#{wrong.size} of #{questions.size} [version, range, loose, prereleases] #{whence}"
    end
  end
end
