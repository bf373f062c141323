# frozen_string_literal: true

module Spate
  module CLI
    # `spate outdated`: compares the lockfile with the newest versions in its sources.
    class Outdated < Command
      FOUND = 1
      # Options that are the same for `bundle outdated`.
      BUNDLERS = %i[pre only_explicit group major minor patch local].freeze

      summary "List gems with a newer version in their source"
      usage "spate outdated [NAME ...] [options]"
      option :pre, "--pre", "count prereleases as newer"
      option :only_explicit, "--only-explicit", "only gems that the Gemfile names"
      option :group, "--group", "GROUP", "only gems of this group of the Gemfile"
      option :major, "--filter-major", "only gems with a newer major version"
      option :minor, "--filter-minor", "only gems with a newer minor version"
      option :patch, "--filter-patch", "only gems with a newer patch version"
      option :local, "--local", "no network: use the stored index"
      bundle_options
      common_options
      left_to_bundler "--cooldown", "--strict", "--filter-strict", "--update-strict", "--major", "--minor", "--patch",
                      "--source", "--parseable", "--porcelain", "--groups"
      example "spate outdated --only-explicit", "gems to change in the Gemfile"
      example "spate outdated --json", "one line for each gem"
      note "Exit code #{FOUND} if a gem is outdated. Gems of git repositories and folders are not compared.\n" \
           "Options that limit what an update may change are passed to Bundler, because it has to resolve for them.\n" \
           "Bundler also answers if a cooldown is set, except with --json."

      # A gem with a newer version.
      Row = Struct.new(:name, :current, :latest, :requested, :groups, :ruby)

      def run
        return ask_bundler if cooldown? && !json?

        rows = selected.filter_map { |gem| row(gem) }.sort_by(&:name)
        json? ? rows.each { |row| json.call(event: :outdated, **row.to_h) } : table(rows)
        rows.empty? ? 0 : FOUND
      end

      private

      # Whether the setting or a source of the Gemfile has a cooldown.
      def cooldown?
        context.settings["cooldown"] || File.binread(context.location.gemfile).include?("cooldown:")
      end

      def ask_bundler
        given = self.class.options.select { |option| BUNDLERS.include?(option.key) && values[option.key] }
        words = given.flat_map { |option| [option.names.last, *(values[option.key] if option.argument)] } + operands
        terminal.info Util::Terminal.plain("running Bundler for the cooldown: bundle #{["outdated", *words].join(" ")}")
        env = context.env.merge("BUNDLE_GEMFILE" => context.location.gemfile)
        PassThrough.new("outdated", words, terminal: terminal, env: env).plain
      end

      def graph = @graph ||= Resolve::Graph.new(context.lockfile)

      def selected
        unknown = operands.find { |name| !graph[name] }
        raise ::Spate::Install::UnknownGemError.new(unknown, graph.gems.keys) if unknown

        gems = operands.empty? ? graph.gems.values : graph.gems.values_at(*operands)
        gems = gems.select { |gem| gem.source.type == :gem }
        gems = gems.select { |gem| graph.roots.key?(gem.name) } if values[:only_explicit]
        values[:group] ? gems.select { |gem| groups(gem.name).include?(values[:group]) } : gems
      end

      def row(gem)
        latest = newest[gem.name] or return
        return unless GemVersion.new(latest.version) > gem.version && wanted?(gem.version, latest.version)

        Row.new(gem.name, gem.version, latest.version, (graph.roots[gem.name] || ">= 0" if graph.roots.key?(gem.name)),
                groups(gem.name), latest.ruby)
      end

      # Whether the first version part that differs is selected by the options.
      def wanted?(current, latest)
        wanted = %i[major minor patch].select { |part| values[part] }
        return true if wanted.empty?

        old, new = [current, latest].map { |text| GemVersion.new(text).segments }
        index = (0..2).find { |at| (old[at] || 0) != (new[at] || 0) }
        !index.nil? && wanted.include?(%i[major minor patch][index])
      end

      def newest
        @newest ||= Resolve::Newest.new(client, prereleases: values[:pre], offline: values[:local]).of(selected)
      end

      def client
        Registry::Client.new(settings: context.settings, env: context.env, sources: sources)
      end

      def sources = Gemfile::Check.sources(facts, **known)

      def known = { location: context.location, settings: context.settings, store: context.store }

      def facts = @facts ||= Gemfile::Check.for(**known)

      def groups(name)
        facts.dependencies.select { |dependency| dependency.name == name }.flat_map(&:groups).map(&:to_s).uniq
      end

      def table(rows)
        return terminal.info "no newer versions" if rows.empty?

        cells = rows.map do |row|
          [row.name, row.current, row.latest + (" (Ruby #{row.ruby})" if row.ruby).to_s, row.requested.to_s,
           row.groups.join(", ")]
        end
        cells.unshift(%w[Gem Current Latest Requested Groups])
        widths = cells.transpose.map { |column| column.map(&:length).max }
        lines = cells.map { |cell| cell.zip(widths).map { |text, width| text.ljust(width) }.join("  ").rstrip }
        lines.each { |line| terminal.out.puts Util::Terminal.plain(line) }
      end
    end
  end
end
