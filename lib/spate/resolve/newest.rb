# frozen_string_literal: true

module Spate
  module Resolve
    # Finds the newest versions of a lockfile's gems at their sources, for this machine's platform.
    class Newest
      # version: String. ruby: the required Ruby version if this Ruby does not satisfy it, else nil.
      Version = Struct.new(:version, :ruby)

      RELEASE = /\A\d+(?:\.\d+)*\z/

      # client: Registry::Client. offline: uses only cached pages.
      def initialize(client, prereleases: false, offline: false)
        @client = client
        @prereleases = prereleases
        @offline = offline
        @platforms = Hash.new { |known, name| known[name] = Platform.parse(name).match?(Platform.local) }
      end

      # { name => Version }, without gems that no source lists. gems: [Graph::Gem] from GEM sections.
      def of(gems)
        gems.group_by(&:source).each_with_object({}) do |(source, some), found|
          source.remotes.reverse_each do |remote|
            left = some.reject { |gem| found.key?(gem.name) }
            texts = pages(remote).fetch(left.map(&:name))
            left.each { |gem| newest(texts[gem.name].to_s, gem)&.then { |version| found[gem.name] = version } }
          end
        end
      end

      # All versions of a gem, newest first.
      def versions(gem)
        text = gem.source.remotes.reverse.filter_map { |remote| pages(remote)[gem.name] }.first.to_s
        candidates(text, gem).map(&:first).uniq.sort_by { |version| GemVersion.new(version) }.reverse
      end

      private

      def pages(remote) = (@pages ||= {})[remote] ||= @client.pages(remote, offline: @offline)

      # Compares numeric versions as Arrays, which is ten times faster.
      def newest(text, gem)
        found = candidates(text, gem)
        numeric = found.all? { |version, _| version.match?(RELEASE) }
        version, line = found.max_by { |one, _| numeric ? one.split(".").map(&:to_i) : GemVersion.new(one) }
        version && Version.new(version, unsatisfied(line))
      end

      # [[version, line]] for this platform.
      def candidates(text, gem)
        prereleases = @prereleases || !gem.version.match?(RELEASE)
        text.lines.filter_map do |line|
          version, platform = line[/\A[0-9]\S*/].to_s.split("-", 2)
          next unless version && (prereleases || version.match?(RELEASE))

          [version, line] if platform.nil? || @platforms[platform]
        end
      end

      def unsatisfied(line)
        requirement = line[/[|,]ruby:([^,\n]+)/, 1] or return
        requirement.tr("&", ",").gsub(",", ", ") unless Requirement.parse(requirement).satisfied_by?(RUBY_VERSION)
      end
    end
  end
end
