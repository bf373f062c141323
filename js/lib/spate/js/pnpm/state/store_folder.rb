# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      class State
        # Where pnpm has its own store: on the project's file system.
        class StoreFolder
          VERSIONS = { 8 => "v3", 9 => "v3", 10 => "v10" }.freeze

          # given: the setting storeDir, or nil. major: of pnpm.
          def initialize(given, major, env)
            @given = given
            @major = major
            @own = own(env) unless given
          end

          # root: of the project.
          def path(root) = "#{@given ? given(root) : near(root)}/#{VERSIONS.fetch(@major, "v11")}"
          # The same without "." and "..".
          def clean_path(root) = File.expand_path(path(root))

          private

          def given(root)
            return @given if @given.start_with?("/")
            return "#{Configuration.home({})}/#{@given.delete_prefix("~/")}" if @given.start_with?("~/")

            @major <= 10 ? File.expand_path(@given, root) : "#{root}/#{@given}"
          end

          def own(env)
            base = [env["PNPM_HOME"], env["XDG_DATA_HOME"]&.then { |each| "#{each}/pnpm" unless each.empty? }]
            base = base.find { |each| !each.to_s.empty? }
            return "#{base}/store" if base

            "#{Configuration.home(env)}/#{RUBY_PLATFORM.include?("darwin") ? "Library" : ".local/share"}/pnpm/store"
          end

          def near(root) = near?(@own, root) ? @own : "#{mount_point(root)}/.pnpm-store".sub("//", "/")

          # Whether a folder that may not be there yet would be on the project's file system.
          def near?(path, root)
            path = File.dirname(path) until File.exist?(path)
            device(path) == device(root)
          end

          def mount_point(root)
            path = root
            path = File.dirname(path) until path == "/" || device(File.dirname(path)) != device(root)
            path
          end

          def device(path) = File.stat(path).dev
        end
      end
    end
  end
end
