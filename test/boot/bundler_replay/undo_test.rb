# frozen_string_literal: true

require_relative "bundle_case"

module Spate
  module Boot
    # If an activation fails at some step, it is fully reverted, and the real Bundler sets up as usual.
    class UndoTest < BundleCase
      def test_failure_at_each_step_is_undone
        expected = project.run!("ruby", "-rbundler/setup", answers)
        path = write("replay.bin", record)
        found = project.run!("ruby", "-r#{File.expand_path("failing.rb", __dir__)}", answers, REPLAY: path)
        failures, rest = found.split("\n", 2)

        assert_equal expected, rest.delete_prefix("\n")
        assert_operator failures[/\Afailures: (\d+)/, 1].to_i, :>, 30
      end

      private

      def answers = File.expand_path("answers.rb", __dir__)
    end
  end
end
