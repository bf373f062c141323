# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      class Settings
        # Where pnpm has its own store: on the project's file system.
        class StoreFolder
          VERSIONS = { 8 => "v3", 9 => "v3", 10 => "v10" }.freeze

          # given: the setting storeDir, or nil. major: of pnpm.
          def initialize(root, given, major, env)
            @root = root
            @given = given
            @major = major
            @env = env
          end

          def path = "#{folder}/#{VERSIONS.fetch(@major, "v11")}"

          private

          def folder
            return given if @given

            home = own
            near?(home) ? home : "#{mount_point}/.pnpm-store".sub("//", "/")
          end

          def given
            return @given if @given.start_with?("/")
            return "#{Dir.home}/#{@given.delete_prefix("~/")}" if @given.start_with?("~/")

            @major <= 10 ? File.expand_path(@given, @root) : "#{@root}/#{@given}"
          end

          def own
            base = [@env["PNPM_HOME"], @env["XDG_DATA_HOME"]&.then { |each| "#{each}/pnpm" unless each.empty? }]
            base = base.find { |each| !each.to_s.empty? }
            return "#{base}/store" if base

            "#{@env["HOME"] || Dir.home}/#{RUBY_PLATFORM.include?("darwin") ? "Library" : ".local/share"}/pnpm/store"
          end

          # Whether a folder that may not be there yet would be on the project's file system.
          def near?(path)
            path = File.dirname(path) until File.exist?(path)
            File.stat(path).dev == device(@root)
          end

          def mount_point
            path = @root
            path = File.dirname(path) until path == "/" || device(File.dirname(path)) != device(@root)
            path
          end

          def device(path) = File.stat(path).dev
        end
      end
    end
  end
end
