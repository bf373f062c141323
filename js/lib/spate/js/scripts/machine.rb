# frozen_string_literal: true

module Spate
  module JS
    module Scripts
      # node and the package manager on this machine, for the environment of scripts. Loaded only if a script has to
      # run.
      class Machine
        # Where npm keeps the programs that scripts call by name, relative to its folder; Debian's has them beside it.
        GYP_BIN = "@npmcli/run-script/lib/node-gyp-bin"
        GYP = "node-gyp/bin/node-gyp.js"
        PLACES = %w[node_modules .. ../../nodejs].freeze

        # env: {name => value}. tool: "npm" or "pnpm". version: of it, nil if unknown.
        def initialize(env, tool, version = nil)
          @env = env
          @tool = tool
          @version = version
        end

        # Absolute, or nil.
        def node = @node ||= Tools::Program.find("node", @env["PATH"])

        # "20.1.0", nil without node.
        def node_version = @node_version ||= Npm::Machine::NodeVersion.of(@env)

        # The tool's own program, as a file of JavaScript where it is one, or nil.
        def program
          found = Tools::Program.find(@tool, @env["PATH"]) or return
          File.realpath(found)
        end

        # The tool's version, or nil.
        def version = @version ||= Project::Version.installed(@tool, @env)

        # A folder with a program node-gyp, and node-gyp's script; nil if missing.
        def gyp_bin = beside(GYP_BIN)
        def gyp = beside(GYP)

        # "npm/10.8.1 node/v20.1.0 linux x64".
        def user_agent
          version = "#{@tool}/#{self.version || "?"}"
          version += " npm/?" if @tool == "pnpm"
          "#{version} node/v#{node_version} linux #{processor}#{" workspaces/false" if @tool == "npm"}"
        end

        private

        def npm = @npm ||= Configuration::NpmFolder.new(@env).path

        def beside(name)
          return unless npm

          PLACES.map { |place| File.expand_path("#{place}/#{name}", npm) }.find { |path| File.exist?(path) }
        end

        def processor
          { "x86_64" => "x64", "aarch64" => "arm64", "i686" => "ia32" }.fetch(cpu = RUBY_PLATFORM[/\A[^-]+/], cpu)
        end
      end
    end
  end
end
