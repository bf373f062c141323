# frozen_string_literal: true

module Spate
  module CLI
    # `spate list`: prints the bundle's gems, one per line.
    class List < Command
      summary "List the bundle's gems, where they come from and how big they are"
      usage "spate list [NAME ...] [options]"
      bundle_options
      common_options
      left_to_bundler "--paths", "--name-only", "--only-group", "--without-group", "--format"
      example "spate list --json", "print name, version, platform, source, state, bytes"
      note "State: linked or copied (from the store), private (`spate edit`), installed (by another tool),\n" \
           "default (with Ruby), path, or missing."

      def run
        rows = packages.map { |package| row(package) }
        json? ? rows.each { |facts| json.call(facts) } : table(rows)
        0
      end

      private

      def packages
        found = resolution.plan.packages.sort_by(&:full_name)
        return found if operands.empty?

        names = found.map(&:name)
        unknown = operands - names
        raise ::Spate::Install::UnknownGemError.new(unknown.first, names) if unknown.any?

        found.select { |package| operands.include?(package.name) }
      end

      # Never resolves, because the command is read-only.
      def resolution
        @resolution ||= ::Spate::Install::Prepare::Resolution.new(install_context, resolves: false).tap do |resolution|
          difference = resolution.difference or next
          raise Check::Disagreement, difference
        end
      end

      def install_context
        ::Spate::Install::Context.new(location: context.location, settings: context.settings, store: context.store)
      end

      def row(package)
        tree = record&.tree("gems/#{package.full_name}")
        { event: :gem, name: package.name, version: package.version, platform: package.platform,
          source: package.source.to_s, state: state(package, tree), bytes: bytes(tree) }
      end

      def state(package, tree)
        return "default" if package.gem? && package.default_gem?
        return "missing" unless presence.exist?(package)
        return "path" if package.path?
        return "installed" unless tree

        return "private" if tree.private?

        tree.copied? ? "copied" : "linked"
      end

      # The size of the unpacked files in bytes, or nil if the store has no record of them.
      def bytes(tree)
        manifests = tree ? tree.manifests(context.store) : []
        manifests.sum(&:bytes) unless manifests.empty?
      end

      def presence = @presence ||= ::Spate::Install::Check::Presence.new(install_context)

      def record
        @record ||= begin
          packages = resolution.plan.packages.to_h { |package| [package.full_name, package.sha256] }
          ::Spate::Store::BundleRecord.find(context.store, context.layout.root, packages)
        end
      end

      def table(rows)
        cells = rows.map do |row|
          version = row[:platform] == "ruby" ? row[:version] : "#{row[:version]}-#{row[:platform]}"
          [row[:name], version, row[:state], row[:bytes] ? Units.bytes(row[:bytes]) : "", row[:source]]
        end
        widths = cells.transpose.map { |column| column.map(&:length).max }
        lines = cells.map { |cell| cell.zip(widths).map { |text, width| text.ljust(width) }.join("  ").rstrip }
        lines.each { |line| terminal.out.puts Util::Terminal.plain(line) }
      end
    end
  end
end
