# frozen_string_literal: true

module Spate
  module JS
    module Scripts
      # Which scripts of a project's own packages run, and when, as each tool has it:
      #
      #   first    the root's, before anything is placed: what packages need to be had may be made there
      #   members  of the packages of npm's workspace, event by event: before and after it links their executables
      #   last     the others, when the state is written; pnpm's packages in the order in which they need each other
      class Own
        ROOT = {
          "npm" => %w[predependencies dependencies postdependencies preinstall install postinstall prepublish preprepare
                      prepare postprepare],
          "pnpm" => %w[pnpm:devPreinstall preinstall install postinstall preprepare prepare postprepare],
          "yarn" => %w[preinstall install postinstall prepublish prepare],
          "bun" => %w[preinstall install postinstall preprepare prepare postprepare]
        }.freeze
        MEMBER = { "npm" => %w[preinstall prepare install postinstall], "pnpm" => ROOT["pnpm"].drop(1),
                   "yarn" => %w[preinstall install postinstall], "bun" => ROOT["bun"] }.freeze
        # Of the root; npm 12 and pnpm 12 added `preinstall`.
        FIRST = { "npm" => %w[preinstall], "pnpm" => %w[pnpm:devPreinstall preinstall] }.freeze
        FIRST_BEFORE = { "pnpm" => %w[pnpm:devPreinstall] }.freeze
        NEW = 12
        # Where packages were placed.
        CHANGED = /dependencies\z/

        # context: answers path(inside).
        def initialize(plan, context)
          @plan = plan
          @context = context
        end

        # Whether there are any to run.
        def any?
          facts = @plan.projects.to_h { |path| [path, Package::Facts.of_folder(folder(path))] }
          [first, *members(facts), last(facts)].any?(&:any?)
        end

        # [Job]
        def first = [job(".", first_events)].compact

        # [[Job] before their executables are linked, [Job] afterwards], each with one event.
        def members(facts)
          return [[], []] unless @plan.tool == "npm"

          MEMBER["npm"].each_slice(2).map do |events|
            events.product(folders - ["."]).filter_map { |event, path| job(path, [event], facts[path]) }
          end
        end

        # [Job]
        def last(facts)
          paths = @plan.tool == "npm" ? ["."] : folders
          paths.filter_map { |path| job(path, path == "." ? last_events : MEMBER.fetch(@plan.tool), facts[path]) }
        end

        # Folders of those that have any.
        def folders_of(facts) = @plan.projects.sort.select { |path| job(path, MEMBER.fetch(@plan.tool), facts[path]) }

        private

        # pnpm's plan has them in order; with yarn and bun the root is the last.
        def folders = @plan.tool == "pnpm" ? @plan.projects : @plan.projects - ["."] + (@plan.projects & ["."])

        def first_events = (@plan.major < NEW ? FIRST_BEFORE : FIRST).fetch(@plan.tool, [])

        def last_events
          events = ROOT.fetch(@plan.tool) - first_events
          @plan.trees.empty? && @plan.links.to_h.empty? ? events.grep_v(CHANGED) : events
        end

        def job(path, events, facts = nil)
          Job.of_project(path, facts || Package::Facts.of_folder(folder(path)), folder(path), events)
        end

        def folder(path) = path == "." ? @plan.root : @context.path(path)
      end
    end
  end
end
