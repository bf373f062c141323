# frozen_string_literal: true

module Spate
  module Install
    module Prepare
      # Groups that were asked for in vain: names that the Gemfile does not have, and a setting that this machine's
      # Bundler does not know. Bundler itself is silent about both.
      class GroupCheck
        FLAGS = %w[only with without].freeze

        def initialize(settings, facts)
          @settings = settings
          @facts = facts
        end

        # [[message, hint]]
        def warnings = [*unknown_setting, *unknown_groups]

        private

        def unknown_setting
          return [] if @settings.array(:only).empty? || @facts.knows_only?

          [["the setting `only` does not count: Bundler 2.4 brought it, and here Bundler #{@facts.bundler_version} " \
            "runs",
            "name the groups to leave out instead: bundle config set --local without GROUPS"]]
        end

        # Only on the command's line: settings of a user or a machine are about many Gemfiles.
        def unknown_groups
          FLAGS.filter_map do |name|
            given = Settings::Value.list(@settings.levels[:flag][Settings::Key.for(name)], name).map(&:to_s)
            unknown = given.empty? ? [] : given - @facts.groups
            next if unknown.empty?

            ["--#{name} names what is no group of the Gemfile: #{unknown.join(", ")}",
             "its groups are #{@facts.groups.join(", ")}"]
          end
        end
      end
    end
  end
end
