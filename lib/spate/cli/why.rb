# frozen_string_literal: true

module Spate
  module CLI
    # `spate why GEM`: prints which gems require a gem, and which of them exclude its newest version.
    class Why < Command
      summary "Show what requires a gem, and what keeps it from a newer version"
      usage "spate why NAME [options]"
      option :local, "--local", "no network: use the stored index"
      bundle_options
      common_options
      example "spate why rack", "every gem that requires rack, and how the Gemfile leads to it"

      def run
        name = operands.first
        raise UsageError.new("`spate why` takes the name of one gem", hint: "spate why rack") unless operands.one?
        raise ::Spate::Install::UnknownGemError.new(name, graph.gems.keys) unless graph[name]

        json? ? json.call(event) : print_reasons
        0
      end

      private

      def graph = @graph ||= Resolve::Graph.new(context.lockfile)
      def gem = graph[operands.first]
      def dependents = graph.dependents(gem.name)

      def event
        { event: :why, name: gem.name, version: gem.version, source: gem.source.to_s, newest: newest,
          required_by: dependents.map { |one| { name: one.gem&.name, requirement: one.requirement || ">= 0" } },
          chain: graph.chain(gem.name), held_by: held.map { |one| one.gem&.name } }
      end

      def print_reasons
        terminal.out.puts Util::Terminal.plain("#{gem}, from #{gem.source}"), "", "required by"
        dependents.each { |dependent| terminal.out.puts Util::Terminal.plain("  #{dependent}#{path(dependent)}") }
        terminal.out.puts "", Util::Terminal.plain(verdict)
      end

      # The chain of gems from the Gemfile to the dependent, or "" if the Gemfile contains the dependent.
      def path(dependent)
        chain = dependent.gem ? graph.chain(dependent.gem.name) : []
        chain.length > 1 ? ", required by #{chain[..-2].reverse.join(", by ")}" : ""
      end

      def verdict
        return "the version comes from #{gem.source}" unless gem.source.type == :gem
        return "no source lists #{gem.name} now" unless newest
        return "#{gem.version} is the newest version" unless GemVersion.new(newest) > gem.version
        return "#{newest} is newer, and nothing in the lockfile excludes it: spate update #{gem.name}" if held.empty?

        "#{newest} is newer, but excluded by #{held.join(", ")}"
      end

      # Dependents that exclude the newest version.
      def held
        return [] unless newest

        dependents.select do |one|
          one.requirement && !Requirement.parse(one.requirement).satisfied_by?(newest)
        end
      end

      def newest
        return @newest if defined?(@newest)

        @newest = gem.source.type == :gem ? latest&.version : nil
      end

      def latest
        known = { location: context.location, settings: context.settings, store: context.store }
        sources = Gemfile::Check.sources(Gemfile::Check.for(**known), **known)
        client = Registry::Client.new(settings: context.settings, env: context.env, sources: sources)
        Resolve::Newest.new(client, offline: values[:local]).of([gem])[gem.name]
      end
    end
  end
end
