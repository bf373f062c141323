# frozen_string_literal: true

module Spate
  module JS
    module Npm
      class Project
        autoload :Listed, "spate/js/npm/project/listed"

        # Which folders package.json's `workspaces` names: patterns, of which those with "!" take away.
        module Workspaces
          module_function

          # { name => path, relative to the root }. Raises LockfileError.
          def find(project)
            named(project, folders(project.root, *kept(patterns(project))))
          end

          # Paths that change when a workspace is added, relative to the root: folders in which it would be, and
          # package.json files of folders that a pattern names literally and that do not exist yet.
          def looked_at(project)
            wanted, = kept(patterns(project))
            wanted.flat_map { |pattern| JS::Project::Braces.alternatives(all_below(pattern)) }
                  .flat_map { |pattern| Listed.of(project.root, pattern) }.uniq
          end

          def patterns(project)
            patterns = project.manifest["workspaces"]
            patterns = patterns["packages"] if patterns.is_a?(Hash)
            file = "#{project.root}/#{PACKAGE}"
            unless patterns.is_a?(Array) && patterns.all?(String)
              raise LockfileError, "#{file}: `workspaces`: expected a list of patterns"
            end

            JS::Project::Braces.check(patterns, file)
          end

          # [patterns, patterns of what is left out]. A pattern takes back an earlier "!" that covers it.
          def kept(patterns)
            wanted = []
            unwanted = []
            patterns.each do |pattern|
              marks = pattern[/\A!*/].size
              pattern = pattern[marks..].sub(%r{\A\.?/+}, "").chomp("/").tr("\\", "/")
              next unwanted << pattern if marks.odd?

              unwanted.reject! { |out| File.fnmatch?(out, pattern, FLAGS) }
              wanted << pattern
            end
            [wanted, unwanted]
          end
          FLAGS = File::FNM_PATHNAME | File::FNM_EXTGLOB

          def folders(root, wanted, unwanted)
            found = wanted.flat_map { |pattern| Dir.glob(all_below(pattern), base: root) }
                          .map { |path| path.chomp("/") }
            found.uniq.reject do |path|
              path.start_with?("/", "../") || path.split("/").include?("node_modules") ||
                unwanted.any? { |out| File.fnmatch?(out, path, FLAGS) || File.fnmatch?(all_below(out), path, FLAGS) }
            end
          end

          # Ruby's "**" is folders only with a "/" behind it.
          def all_below(pattern) = pattern.sub(%r{(\A|/)\*\*\z}, '\1**/')

          def named(project, folders)
            folders.each_with_object({}) do |path, all|
              manifest = project.folder(path) or next
              name = manifest["name"] || Graph::Place.new(path, nil, {}).folder_name
              if all[name]
                raise LockfileError, "#{project.root}: the workspaces #{all[name]} and #{path} are both called #{name}"
              end

              all[name] = path
            end
          end
        end
      end
    end
  end
end
