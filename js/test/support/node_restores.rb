# frozen_string_literal: true

require "fileutils"
require "open3"
require "rbconfig"
require "support/npm_tools"
require "tmpdir"

module Spate
  # Restores a JavaScript project with its own tool and with Spate, both without scripts and with caches of their own.
  class NodeRestores
    EXE = File.expand_path("../../../exe/spate", __dir__)
    FROZEN = { "npm" => %w[ci], "pnpm" => %w[install --frozen-lockfile] }.freeze
    QUIET = { "npm" => %w[--no-audit --no-fund], "pnpm" => [] }.freeze
    CACHES = %w[XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME npm_config_cache].freeze
    # A lockfile may be younger than pnpm would let in, and is no less one to restore.
    ENVIRONMENT = { "CI" => "true", "pnpm_config_minimum_release_age" => "0", "pnpm_config_trust_policy" => "off",
                    "npm_config_engine_strict" => "false" }.freeze

    # The folder of the caches.
    attr_reader :folder

    def initialize(folder = Dir.mktmpdir("spate-node"))
      @folder = folder
    end

    # The tool's output, and whether it succeeded. Runs the pnpm version that the project names: results differ between
    # versions.
    def tool(name, words, folder) = run([name, *words], folder)
    def frozen(name, folder) = tool(name, [*FROZEN.fetch(name), "--ignore-scripts", *QUIET.fetch(name)], folder)
    def spate(folder) = run([RbConfig.ruby, "--disable-gems", EXE, "js", "--ignore-scripts"], folder)
    def remove = FileUtils.rm_rf(@folder)

    private

    def run(command, folder)
      said, status = Open3.capture2e(environment(folder), *command, chdir: folder, stdin_data: "")
      [said.scrub, status.success?]
    end

    def environment(folder)
      version = File.read("#{folder}/package.json")[/"packageManager":\s*"pnpm@([^"+]+)/, 1]
      first = "#{File.dirname(NpmTools.pinned("pnpm", version))}:" if version
      { "PATH" => "#{first}#{NpmTools.search_path}", "SPATE_HOME" => "#{@folder}/home", **ENVIRONMENT,
        **CACHES.to_h { |name| [name, "#{@folder}/cache"] } }
    end
  end
end
