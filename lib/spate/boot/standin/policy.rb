# frozen_string_literal: true

module Spate
  module Boot
    module Standin
      # As Gemfile::Policy, and which gems are installed: the names in their folders, and of the bundle's own each
      # gemspec and whether its native part is built. What Bundler reads of others says no more.
      class Policy < Gemfile::Policy
        private

        def unwatched?(_path) = false

        def gems
          facts = @told.dig(:standin, :facts) or return []
          specs = facts[:specs].values_at(*facts[:bundled])
          asked = @learnt.include?(:gems) ? installed : []
          [*asked, *homes.flat_map { |home| [names("#{home}/specifications"), names("#{home}/gems")] },
           names(@told[:default_specifications]), *specs.flat_map { |spec| gem(*spec.values_at(3, 4, 7, 8)) }]
        end

        # The places of the bundle's gems; the others only Bundler itself may have come from.
        def homes = @told[:gem_path_now]

        # A folder in `gems` is there as long as its name is, unless that is a link's.
        def gem(loaded_from, folder, extensions, built)
          inside = installed?(folder) && !File.symlink?(folder)
          [([:file, loaded_from] if loaded_from), ([:looked, folder, nil, :type] unless inside),
           ([:looked, "#{extensions}/gem.build_complete", nil, :type] if built.any?)].compact
        end
      end
    end
  end
end
