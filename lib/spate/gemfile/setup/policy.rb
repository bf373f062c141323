# frozen_string_literal: true

module Spate
  module Gemfile
    module Setup
      # A Gemfile::Policy that also treats the installed gems as inputs: the names in the gem folders and, for each gem
      # of the bundle, its gemspec and whether its extension is built. Accesses of Bundler to other gems are ignored.
      class Policy < Gemfile::Policy
        # [path] that the Gemfile tried to write, or that Bundler tried to write because the lockfile is not up to date.
        def writes = @trace.written - IGNORED_DEVICES

        private

        def refusal(path, kinds) = (super unless kinds.include?(:written))
        def unwatched?(_path) = false

        def gems
          facts = @report.dig(:replay, :facts) or return []
          specs = facts[:specs].values_at(*facts[:bundled])
          asked = @observed.include?(:gems) ? installed : []
          [*asked, *homes.flat_map { |home| [names("#{home}/specifications"), names("#{home}/gems")] },
           names(@report[:default_specifications]), *specs.flat_map { |spec| gem(*spec.values_at(3, 4, 7, 8)) }]
        end

        # The gem homes of the bundle. Only Bundler itself may be in others.
        def homes = @report[:gem_path_now]

        # The inputs for one gem. A folder in `gems` need not be checked, because its name is listed, unless it is a
        # link.
        def gem(loaded_from, folder, extensions, built)
          inside = installed?(folder) && !File.symlink?(folder)
          [([:file, loaded_from] if loaded_from), ([:looked, folder, nil, :type] unless inside),
           ([:looked, "#{extensions}/gem.build_complete", nil, :type] if built.any?)].compact
        end
      end
    end
  end
end
