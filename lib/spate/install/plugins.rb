# frozen_string_literal: true

module Spate
  module Install
    # What RubyGems loads at its start: a file in plugins/ for each gem that brings a plugin, naming the gem's own. The
    # newest version of a gem that RubyGems sees has the say, also a default gem: older ones leave the file as it is.
    class Plugins
      STUB = /^# stub: (\S+) (\S+) /
      HEAD = 512 # bytes of a specification in which its stub line begins

      def initialize(layout)
        @layout = layout
      end

      def call(item)
        paths = item.facts.plugins
        left = written.fetch(item.name, [])
        return if (paths.empty? && left.empty?) || outdated?(item)

        left.each { |path| File.unlink(path) } if paths.empty?
        paths.each do |path|
          Placement.text("#{@layout.plugins}/#{item.name}_plugin#{File.extname(path)}",
                         "require_relative '../gems/#{item.full_name}/#{path}'\n")
        end
      end

      private

      # {name of a gem => [path]}, of earlier installs.
      def written
        @written ||= Dir.children(@layout.plugins).group_by { |file| file[/\A(.+)_plugin(?:\.\w+)?\z/, 1] }
                        .transform_values { |files| files.map { |file| "#{@layout.plugins}/#{file}" } }
      end

      def outdated?(item)
        own = GemVersion.parse(item.package.version)
        versions(item.name).any? { |version| GemVersion.parse(version) > own }
      end

      # Those that RubyGems sees. Names alone do not tell: `a-2-1.0` may be the gem a-2.
      def versions(name)
        specifications.select { |path| File.basename(path).start_with?("#{name}-") }.filter_map do |path|
          found, version = File.binread(path, HEAD)&.match(STUB)&.captures
          version if found == name
        end
      end

      def specifications
        @specifications ||= [@layout.specifications, *others, *@layout.default_specifications].uniq.flat_map do |folder|
          Dir.exist?(folder) ? Dir.children(folder).grep(/\.gemspec\z/).map { |name| "#{folder}/#{name}" } : []
        end
      end

      def others = @layout.system? ? @layout.rubygems.path.map { |path| "#{path}/specifications" } : []
    end
  end
end
