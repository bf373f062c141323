# frozen_string_literal: true

require "fileutils"
require "open3"
require "support/npm_tools"
require "support/peers"

module Benchmark
  module JS
    # The benchmark's folder, with a home for each tool and a fresh folder for every run.
    class Workspace
      TOOLS = %w[npm pnpm bun].freeze

      attr_reader :folder

      def initialize(fixtures, folder)
        @fixtures = fixtures
        @folder = File.join(folder, "run-#{Process.pid}")
        @counter = 0
        FileUtils.mkdir_p(@folder)
      end

      # Call once at the end; nothing is removed earlier.
      def remove = FileUtils.rm_rf(@folder)

      # { "pnpm" => "pnpm 12.0.0", ... }
      def versions
        TOOLS.to_h { |tool| [tool, "#{tool} #{capture([NpmTools.path(tool), "--version"]).strip}"] }
      end

      # A path that does not exist yet.
      def fresh(name) = File.join(@folder, "#{name}-#{@counter += 1}")

      # A new home folder, empty except for a link to the user's .npmrc, which may configure a registry.
      def home
        fresh("home").tap do |path|
          FileUtils.mkdir_p(path)
          own = File.join(Dir.home, ".npmrc")
          File.symlink(own, "#{path}/.npmrc") if File.file?(own)
        end
      end

      def env(home)
        { "HOME" => home, "SPATE_HOME" => "#{home}/spate", "XDG_CACHE_HOME" => "#{home}/.cache", "CI" => nil,
          "XDG_DATA_HOME" => "#{home}/.local/share", "XDG_CONFIG_HOME" => nil, "BUN_INSTALL" => "#{home}/.bun",
          "PATH" => NpmTools.search_path, "npm_config_registry" => registry, "npm_config_legacy_peer_deps" => "true",
          "npm_config_cache" => "#{home}/.npm", "npm_config_update_notifier" => "false" }
      end

      # Creates a project from a fixture. lockfile: "pnpm" or "npm"; for bun it is converted. shared: whether to enable
      # a global virtual store.
      def project(tool, lockfile, home, shared: false)
        fresh("project").tap do |path|
          FileUtils.mkdir_p(path)
          FileUtils.cp(Dir.glob("#{@fixtures}/#{lockfile}-fixture/*"), path)
          settle(path, home, shared) if lockfile == "pnpm"
          bun_lockfile(path, lockfile) if tool == "bun"
        end
      end

      def registry = @registry ||= capture(%w[npm config get registry]).strip

      # The number of files below a folder, without links.
      def count(path) = capture(["find", path, "-type", "f", "-printf", "."]).length

      # Writes back dirty pages, so that a run does not pay for the writes of earlier ones.
      def settle_disk = system("sync", "-f", @folder)

      def capture(command, env = {}, folder = nil)
        output, status = Open3.capture2(env, *command, **(folder ? { chdir: folder } : {}))
        raise "#{command.join(" ")} failed" unless status.success?

        output
      end

      private

      # Moves pnpm's store into this home, and enables or disables the global virtual store.
      def settle(path, home, shared)
        file = "#{path}/pnpm-workspace.yaml"
        text = File.read(file).sub(/^storeDir: .*$/, "storeDir: #{home}/pnpm-store")
        File.write(file, text.sub(/^enableGlobalVirtualStore: .*$/, "enableGlobalVirtualStore: #{shared}"))
      end

      # Replaces the lockfile with bun's. bun converts each lockfile once, outside of the measurement.
      def bun_lockfile(path, lockfile)
        kept = "#{@folder}/bun-#{lockfile}.lock"
        unless File.file?(kept)
          scratch = fresh("bun-lockfile")
          FileUtils.cp_r(path, scratch)
          capture([NpmTools.path("bun"), "install", "--ignore-scripts", "--silent"], env(home), scratch)
          FileUtils.cp("#{scratch}/bun.lock", kept)
        end
        FileUtils.rm_f(Dir.glob("#{path}/{pnpm-lock.yaml,package-lock.json,pnpm-workspace.yaml}"))
        FileUtils.cp(kept, "#{path}/bun.lock")
      end
    end
  end
end
