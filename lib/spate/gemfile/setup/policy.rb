# frozen_string_literal: true

module Spate
  module Gemfile
    module Setup
      # Gemfile::Policy plus the installed gems as inputs: the names in their folders and, for each gem of the bundle,
      # its gemspec and whether its native part is built. Bundler's reads of other gems are ignored.
      class Policy < Gemfile::Policy
        # [path] that the evaluation tried to change, either the Gemfile itself or Bundler, if the lockfile is not what
        # Bundler would write.
        def writes = @trace.written - ENTRANCE

        private

        def refusal(path, kinds) = (super unless kinds.include?(:written))
        def unwatched?(_path) = false

        def gems
          facts = @told.dig(:replay, :facts) or return []
          specs = facts[:specs].values_at(*facts[:bundled])
          asked = @learnt.include?(:gems) ? installed : []
          [*asked, *homes.flat_map { |home| [names("#{home}/specifications"), names("#{home}/gems")] },
           names(@told[:default_specifications]), *specs.flat_map { |spec| gem(*spec.values_at(3, 4, 7, 8)) }]
        end

        # Folders with the bundle's gems. Only Bundler itself may come from other folders.
        def homes = @told[:gem_path_now]

        # A folder in `gems` exists as long as its name is listed, unless it is a link.
        def gem(loaded_from, folder, extensions, built)
          inside = installed?(folder) && !File.symlink?(folder)
          [([:file, loaded_from] if loaded_from), ([:looked, folder, nil, :type] unless inside),
           ([:looked, "#{extensions}/gem.build_complete", nil, :type] if built.any?)].compact
        end
      end
    end
  end
end
