# frozen_string_literal: true

module Spate
  module CLI
    class JS < Command
      # The command of a project's own tool for work that Spate leaves to it: adding, removing and updating packages,
      # and running a script of package.json.
      module ToolCommand
        # The names that npm, pnpm, yarn, bun and deno use for each command.
        NAMES = { "add" => :add, "install" => :add, "i" => :add, "remove" => :remove, "rm" => :remove,
                  "uninstall" => :remove, "un" => :remove, "update" => :update, "up" => :update, "upgrade" => :update,
                  "run" => :run }.freeze
        WORDS = {
          "npm" => { add: "npm install", remove: "npm uninstall", update: "npm update", run: "npm run" },
          "pnpm" => { add: "pnpm add", remove: "pnpm remove", update: "pnpm update", run: "pnpm run" },
          "yarn" => { add: "yarn add", remove: "yarn remove", update: "yarn upgrade", run: "yarn run" },
          "berry" => { add: "yarn add", remove: "yarn remove", update: "yarn up", run: "yarn run" },
          "bun" => { add: "bun add", remove: "bun remove", update: "bun update", run: "bun run" },
          "deno" => { add: "deno add", remove: "deno remove", update: "deno outdated --update", run: "deno task" }
        }.freeze
        # deno rejects a package's name without one of these prefixes.
        PREFIXED = /\A(?:npm:|jsr:|-)/
        private_constant :NAMES, :WORDS, :PREFIXED

        module_function

        def name?(word) = NAMES.key?(word)

        # "pnpm add react"; nil if no tool has a command with that name. tool: Project#tool. operands: [String].
        def of(tool, name, operands)
          command = NAMES[name] or return
          operands = operands.map { |each| PREFIXED.match?(each) ? each : "npm:#{each}" } if
            tool == "deno" && command == :add
          require "shellwords"
          [WORDS.fetch(tool).fetch(command), *operands.map { |each| Shellwords.escape(each) }].join(" ")
        end
      end
    end
  end
end
