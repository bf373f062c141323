# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      class Workspace
        # The folders of a workspace's projects, by the patterns of pnpm-workspace.yaml: `*` is one folder, `**` any
        # number of them, `!` leaves out what an earlier pattern names. Never inside node_modules.
        class Folders
          LEFT_OUT = %w[node_modules bower_components .git].freeze
          FLAGS = File::FNM_PATHNAME | File::FNM_DOTMATCH | File::FNM_EXTGLOB

          # patterns: [String], or nil: then the root is the only project.
          def initialize(root, patterns)
            @root = root
            @looked_at = {}
            patterns = Array(patterns).map { |pattern| pattern.to_s.delete_prefix("./").chomp("/") }
            Project::Braces.check(patterns, Settings::WORKSPACE)
            @taken, @left = patterns.partition { |pattern| !pattern.start_with?("!") }
            @left = @left.map { |pattern| pattern.delete_prefix("!").delete_prefix("./").delete_prefix("/") }
          end

          # Paths relative to the root, after #all: folders that were listed, and package.json files that were looked
          # for, there or not.
          def looked_at = @looked_at.keys

          # "." first, then by name.
          def all
            found = @taken.flat_map { |pattern| pattern.include?("*") ? matching(pattern) : plain(pattern) }
            found.reject! { |id| id == "." || @left.any? { |pattern| fits?(pattern, id) } }
            (root + found).uniq.sort_by { |id| id == "." ? "" : id }
          end

          private

          def root = ["."]
          def plain(pattern) = project?(pattern) ? [clean(pattern)] : []
          def clean(path) = path.split("/").reject { |part| part == "." }.join("/").then { |id| id.empty? ? "." : id }

          def project?(path)
            @looked_at[file = File.join(path, "package.json")] = true
            File.file?(File.join(@root, file))
          end

          # Goes down only where the pattern's parts fit.
          def matching(pattern)
            parts = pattern.split("/")
            found = []
            pending = [["", parts]]
            while (path, rest = pending.pop)
              if rest.empty?
                found << path if project?(path)
              else
                pending.concat(below(path, rest))
              end
            end
            found
          end

          def below(path, rest)
            part, *following = rest
            return [[join(path, part), following]] unless part.match?(/[*?{\[]/) || part == "**"

            names = folders(path)
            return [[path, following]] + names.map { |name| [join(path, name), rest] } if part == "**"

            names.select { |name| File.fnmatch?(part, name, FLAGS) }.map { |name| [join(path, name), following] }
          end

          def folders(path)
            @looked_at[path] = true
            Dir.each_child(File.join(@root, path)).select do |name|
              !LEFT_OUT.include?(name) && File.lstat(File.join(@root, path, name)).directory?
            end
          rescue SystemCallError
            []
          end

          def join(path, name) = path.empty? ? name : "#{path}/#{name}"

          def fits?(pattern, id)
            File.fnmatch?(pattern, id, FLAGS) || File.fnmatch?(pattern, "#{id}/package.json", FLAGS) ||
              (pattern.end_with?("/**") && id.start_with?("#{pattern.delete_suffix("/**")}/"))
          end
        end
      end
    end
  end
end
