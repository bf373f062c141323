# frozen_string_literal: true

module Spate
  module Install
    module Prepare
      # Warns about group options without effect: groups that are not in the Gemfile, and a setting that this Bundler
      # does not support. Bundler does not print such warnings.
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
          return [] if @settings.array(:only).empty? || @facts.supports_only?

          [["the setting `only` has no effect: it needs Bundler 2.4, and this is Bundler #{@facts.bundler_version}",
            "exclude the other groups instead: bundle config set --local without GROUPS"]]
        end

        # Checks only the command's options, because settings of a user or machine may be for other Gemfiles.
        def unknown_groups
          FLAGS.filter_map do |name|
            given = Settings::Value.list(@settings.levels[:flag][Settings::Key.for(name)], name).map(&:to_s)
            unknown = given.empty? ? [] : given - @facts.groups
            next if unknown.empty?

            ["--#{name}: unknown groups: #{unknown.join(", ")}",
             "groups of the Gemfile: #{@facts.groups.join(", ")}"]
          end
        end
      end
    end
  end
end
