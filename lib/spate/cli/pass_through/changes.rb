# frozen_string_literal: true

module Spate
  module CLI
    class PassThrough
      # The changes that a command of Bundler made to a lockfile. Must be created before the command runs, because
      # `initialize` reads the file.
      class LockfileChange
        # path: the lockfile, which need not exist.
        def initialize(path)
          @path = path
          @before = read
        end

        def any? = read != @before

        # One line per changed gem, and one about the file ([String]).
        def lines
          return ["#{name} is unchanged"] unless any?

          changes = @before ? gem_lines(versions(@before), versions(read)) : []
          [*changes, "wrote #{name}#{"; versions are unchanged" if @before && changes.empty?}"]
        end

        private

        def name = File.basename(@path)

        def read
          File.binread(@path)
        rescue SystemCallError
          nil
        end

        def gem_lines(before, after)
          (before.keys | after.keys).sort.filter_map do |gem|
            old, new = before[gem], after[gem]
            next if old == new
            next "added #{gem} #{new}" unless old

            new ? "updated #{gem} #{old} to #{new}" : "removed #{gem} #{old}"
          end
        end

        # {name => "1.0", or "1.0 (0a1b2c3)" for a git repository}; empty if the file is unreadable.
        def versions(text)
          specs = Lockfile.parse(text.to_s, path: @path) { ::Gem::VERSION }.specs
          specs.group_by(&:name).transform_values { |variants| variants.map { |spec| version(spec) }.uniq.join(", ") }
        rescue Error
          {}
        end

        def version(spec)
          revision = spec.source.revision if spec.source&.type == :git
          revision ? "#{spec.version} (#{revision[0, 7]})" : spec.version.to_s
        end
      end

      # The change that a command of Bundler made to a Gemfile. Must be created before the command runs, because
      # `initialize` reads the file.
      class GemfileChange
        def initialize(path)
          @path = path
          @before = read
        end

        # "wrote Gemfile: added gem \"rack\", \"~> 3.1\""; nil if the file is unchanged.
        def line
          after = read
          return if after == @before

          changes = { "added" => after - @before, "removed" => @before - after }.reject { |_, lines| lines.empty? }
          changes = changes.map { |verb, lines| "#{verb} #{lines.join(", ")}" }
          "wrote #{[File.basename(@path), *(changes.join("; ") if changes.any?)].join(": ")}"
        end

        private

        # The nonempty lines ([String]).
        def read = File.readlines(@path, encoding: "UTF-8").map { |line| line.scrub.strip }.reject(&:empty?)
      end
    end
  end
end
