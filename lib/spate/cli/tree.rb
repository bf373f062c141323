# frozen_string_literal: true

module Spate
  module CLI
    # `spate tree`: prints the lockfile's gems below the gems that require them.
    class Tree < Command
      summary "Show which gem requires which other gems"
      usage "spate tree [NAME ...] [options]"
      option :depth, "--depth", "N", "how many levels below each gem to show; default: all", kind: :count
      bundle_options
      common_options
      example "spate tree", "every gem of the Gemfile, and what it requires"
      example "spate tree rails --depth 1", "only what rails itself requires"
      note "Reads only the lockfile. \"...\" follows a gem whose requirements are shown further up."

      def run
        unknown = operands.find { |name| !graph[name] }
        raise ::Spate::Install::UnknownGemError.new(unknown, graph.gems.keys) if unknown

        json? ? graph.gems.each_value { |gem| json.call(event(gem)) } : print_roots
        0
      end

      private

      def makes_store? = false

      def graph = @graph ||= Resolve::Graph.new(context.lockfile)

      def event(gem)
        { event: :gem_requirements, name: gem.name, version: gem.version,
          needs: gem.needs.transform_values { |requirement| requirement || ">= 0" },
          gemfile: graph.roots.key?(gem.name) }
      end

      def print_roots
        @shown = {}
        roots = operands.any? ? operands.to_h { |name| [name, nil] } : graph.roots
        roots.each { |name, requirement| print_gem(name, requirement, 0) }
      end

      def print_gem(name, requirement, level)
        gem = graph[name]
        again = gem&.needs&.any? && @shown.key?(name)
        words = ["#{"  " * level}#{gem || name}", *("(#{requirement})" if requirement), *("..." if again)]
        terminal.out.puts Util::Terminal.plain(words.join(" "))
        return if gem.nil? || again || level == values[:depth]

        @shown[name] = true
        gem.needs.sort.each { |need, wanted| print_gem(need, wanted, level + 1) }
      end
    end
  end
end
