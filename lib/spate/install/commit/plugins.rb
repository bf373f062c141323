# frozen_string_literal: true

module Spate
  module Install
    module Commit
      # Writes the files that RubyGems loads at its start. plugins/ contains one for each gem with a plugin, which
      # requires the gem's own file. For a content-addressed gem it is in a subfolder for the gem's Ruby. Before Bundler
      # 4.1, only the newest version that RubyGems finds, including default gems, has such a file.
      class Plugins
        LAST_WINS_SINCE = "4.1.0.a"
        STUB = /^# stub: (\S+) (\S+) /
        HEAD = 512 # maximum offset of the stub line in a specification

        def initialize(layout)
          @layout = layout
        end

        def call(item)
          paths = item.facts.plugins
          left = written.fetch(item.name, [])
          return if (paths.empty? && left.empty?) || outdated?(item)

          folder = own(item)
          names = paths.map { |path| "#{folder}/#{item.name}_plugin#{File.extname(path)}" }
          (left - names).each { |path| File.unlink(path) }
          names.zip(paths) { |name, path| write(name, "gems/#{item.full_name}/#{path}") }
        end

        private

        def own(item) = item.package.content_address ? scoped : @layout.plugins
        def scoped = "#{@layout.plugins}/#{Util::Ruby.abi}"

        def write(name, plugin)
          Util::Files.make_folder(File.dirname(name))
          up = name.start_with?("#{scoped}/") ? "../.." : ".."
          BundleFolder.write(name, "require_relative '#{up}/#{plugin}'\n")
        end

        # {name of a gem => [path]}: files of earlier installs.
        def written
          @written ||= [@layout.plugins, scoped].flat_map { |folder| files(folder) }
                                                .group_by { |path| File.basename(path)[/\A(.+)_plugin(?:\.\w+)?\z/, 1] }
        end

        def files(folder) = Dir.exist?(folder) ? Dir.children(folder).map { |file| "#{folder}/#{file}" } : []

        def outdated?(item)
          bundler = @layout.rubygems.bundler_version
          return false if bundler && GemVersion.new(bundler) >= LAST_WINS_SINCE

          own = GemVersion.parse(item.package.version)
          versions(item.name).any? { |version| GemVersion.parse(version) > own }
        end

        # All versions of a gem that RubyGems finds. Reads the specifications, since file names are ambiguous: `a-2-1.0`
        # may belong to the gem a-2.
        def versions(name)
          specifications.select { |path| File.basename(path).start_with?("#{name}-") }.filter_map do |path|
            found, version = File.binread(path, HEAD)&.match(STUB)&.captures
            version if found == name
          end
        end

        def specifications
          folders = @layout.specification_folders | @layout.default_specifications
          @specifications ||= folders.flat_map { |folder| files(folder).grep(/\.gemspec\z/) }
        end
      end
    end
  end
end
