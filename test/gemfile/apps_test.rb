# frozen_string_literal: true

require "test_helper"
require "support/apps"

module Spate
  module Gemfile
    # The Gemfiles of real applications agree with their lockfiles, which Bundler 2.3 and 2.4 wrote.
    class AppsTest < Minitest::Test
      def evaluate(name)
        skip "#{name} is not in #{TestApps::FOLDER} (SPATE_TEST_APPS)" unless TestApps.available?(name)

        root = TestApps.copy(name, File.join(folder, name))
        env = ENV.to_h.reject { |key, _| key.start_with?("BUNDLE") }
        @location = Gemfile.find(root, env)
        @settings = Settings.load(root: root, env: env)
        @store = Store.open(home: File.join(folder, "spate"))
        Check.evaluate(location: @location, settings: @settings, store: @store)
      end

      def recall = Check.recall(location: @location, settings: @settings, store: @store)

      def assert_agrees(facts)
        assert_predicate facts, :agrees?, facts.difference
        assert_empty facts.volatile
        assert_nil facts.misfit
        locked = File.read(@location.lockfile)[/^DEPENDENCIES\n((?:  .*\n)+)/, 1].scan(/^  ([\w.-]+)/).flatten
        assert_equal locked.sort, facts.dependencies.map(&:name).sort
        assert_equal facts.dependencies, recall.dependencies
        File.write(@location.gemfile, "#{File.read(@location.gemfile)}\ngem 'surely-not-there'\n")
        assert_nil recall
      end

      def test_lobsters = assert_agrees(evaluate("lobsters"))

      def test_human_essentials = assert_agrees(evaluate("human-essentials"))

      def test_mrsk_with_its_gemspec
        facts = evaluate("mrsk")
        assert_equal [["mrsk", ".", ["mrsk"]]],
                     facts.path_specs.map { |spec| [spec.name, spec.folder, spec.executables] }
        gemspec = File.join(@location.root, "mrsk.gemspec")
        text = File.read(gemspec)
        File.write(gemspec, text.sub('"~> 1.21"', '"~> 1.22"'))
        assert_nil recall
        changed = Check.evaluate(location: @location, settings: @settings, store: @store)
        assert_match(/gemspecs/, changed.difference)
        File.write(gemspec, text)
        assert_agrees(facts)
      end
    end
  end
end
