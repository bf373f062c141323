# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      class Planning
        # Features of a project that Spate does not support, so that pnpm restores it.
        class Foreign
          # pnpm's state files changed between patch releases: from the first of these up to the second.
          UNSTEADY = [[11, 27], [12, 0]].freeze
          PNPMFILES = %w[.pnpmfile.cjs .pnpmfile.mjs].freeze

          def initialize(root, lockfile, settings)
            @root = root
            @lockfile = lockfile
            @settings = settings
          end

          # Raises LeftToTool.
          def check
            reasons = version + workspace + settings + pnpmfiles + folders
            raise LeftToTool, reasons unless reasons.empty?
          end

          private

          def version
            first, last = UNSTEADY
            return [] if @settings.before?(*first) || !@settings.before?(*last)

            ["pnpm #{@settings.version}, whose state files are not supported (11.27 and later 11.x)"]
          end

          def workspace
            path = @settings.workspace_dir
            path ? ["NPM_CONFIG_WORKSPACE_DIR: #{path}"] : []
          end

          def settings = Tools::KnownSettings::Pnpm.new(@settings).reasons

          def pnpmfiles
            return ["pnpmfileChecksum in the lockfile"] if @lockfile["pnpmfileChecksum"]
            return [] if @settings["ignorePnpmfile"]

            PNPMFILES.select { |name| Reading.file?(File.join(@root, name)) }
          end

          # Folders that are not directly below the root.
          def folders
            modules = @settings["modulesDir"].to_s
            store = @settings["virtualStoreDir"]
            outside = store && !File.expand_path(store, @root).start_with?("#{@root}/")
            found = []
            found << "modulesDir: #{modules}" unless modules.match?(%r{\A(?!\.\.?\z)[^/]+\z})
            found << "virtualStoreDir: #{store}" if outside
            found + shared
          end

          # A global virtual store of the project's own choice.
          def shared
            type = @settings["virtualStoreType"]
            found = []
            found << "virtualStoreType: #{type}" unless [nil, "global", "project"].include?(type)
            return found unless @settings.global?

            found + %w[globalVirtualStoreDir virtualStoreDir].select { |name| @settings.given?(name) }
          end
        end
      end
    end
  end
end
