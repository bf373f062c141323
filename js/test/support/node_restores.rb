# frozen_string_literal: true

require "fileutils"
require "open3"
require "rbconfig"
require "support/npm_tools"
require "tmpdir"

module Spate
  # Restores a JavaScript project with its own tool and with Spate, both without scripts and with separate caches.
  class NodeRestores
    EXE = File.expand_path("../../../exe/spate", __dir__)
    FROZEN = { "npm" => %w[ci], "pnpm" => %w[install --frozen-lockfile] }.freeze
    QUIET = { "npm" => %w[--no-audit --no-fund], "pnpm" => [] }.freeze
    CACHES = %w[XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME npm_config_cache].freeze
    # Disables pnpm's minimum age of packages and other checks, because the lockfiles may be recent.
    ENVIRONMENT = { "CI" => "true", "pnpm_config_minimum_release_age" => "0", "pnpm_config_trust_policy" => "off",
                    "npm_config_engine_strict" => "false" }.freeze

    # The folder of the caches.
    attr_reader :folder

    def initialize(folder = Dir.mktmpdir("spate-node"))
      @folder = folder
    end

    # Runs the tool; for pnpm, the version that the project names, because results differ between versions. Returns the
    # output, and whether the tool succeeded.
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
