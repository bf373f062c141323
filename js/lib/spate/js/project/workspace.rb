# frozen_string_literal: true

module Spate
  module JS
    class Project
      # Finds the parent folder with a package's lockfile. For pnpm it has a pnpm-workspace.yaml or the lockfile itself,
      # for other tools a package.json that lists the package in `workspaces`.
      module Workspace
        INSTALLED = %r{(?:\A|/)node_modules(?:/|\z)}
        PNPM = %w[pnpm-workspace.yaml pnpm-lock.yaml].freeze

        module_function

        # Absolute, or nil. Raises ForeignRoot if the only candidate belongs to another user.
        def root(folder)
          trust = Trust.new(folder)
          foreign, own = above(folder).partition { |at| trust.culprit(at) }
          found = own.find { |at| pnpm?(at) || member?(at, folder) }
          raise ForeignRoot, trust.culprit(foreign.first) unless found || foreign.empty?

          found
        end

        # The parent of a folder with a lockfile, if the tool uses the workspace there instead: for npm the nearest that
        # lists the folder in `workspaces`, for pnpm the nearest pnpm-workspace.yaml, since version 12 only if it lists
        # the folder. Absolute, or nil; ignores files that another user could have written.
        def owner(folder, tool, env)
          trust = Trust.new(folder)
          own = ->(at, name) { File.file?(File.join(at, name)) && !trust.culprit(at) }
          return above(folder).find { |at| own[at, PACKAGE] && npm_claims?(at, folder) } if tool == "npm"
          return if File.file?(File.join(folder, PNPM.first))

          at = above(folder).find { |each| own[each, PNPM.first] } or return
          major = (Version.of(Project.new(folder, at, tool, nil), env) || Pnpm::Settings::NEWEST).to_i
          at if major < 12 || claims?(pnpm(at), at, folder)
        end

        # Absolute paths of a workspace's packages, without its root.
        def members(root)
          left_out, taken = named(root).partition { |pattern| pattern.start_with?("!") }
          left_out = left_out.map { |pattern| pattern.delete_prefix("!") }
          found = taken.flat_map { |pattern| Dir.glob("#{pattern}/#{PACKAGE}", File::FNM_EXTGLOB, base: root) }
          found.map { |path| File.dirname(path) }.uniq
               .reject { |path| path == "." || path.match?(INSTALLED) || among?(left_out, path) }
               .map { |path| File.expand_path(path, root) }
        end

        # Patterns from package.json and pnpm-workspace.yaml in a folder.
        def named(root) = npm(root) + pnpm(root)

        # Parent folders, nearest first.
        def above(folder)
          above = []
          above << folder until folder == (folder = File.dirname(folder))
          above
        end

        def pnpm?(folder) = PNPM.any? { |name| File.file?(File.join(folder, name)) }

        # Patterns of package.json.
        def npm(root)
          path = File.join(root, PACKAGE)
          patterns(Project.read(path)["workspaces"], path)
        end

        # Patterns of pnpm-workspace.yaml.
        def pnpm(root)
          path = File.join(root, PNPM.first)
          return [] unless File.file?(path)

          patterns(Pnpm::Yaml.mapping(Reading.text(path), path), path)
        end

        # Whether the package.json in `at` lists `folder` among its workspaces.
        def member?(at, folder)
          return false unless File.file?(File.join(at, PACKAGE))

          claims?(npm(at), at, folder)
        end

        # npm ignores an unreadable package.json in a parent folder.
        def npm_claims?(at, folder)
          member?(at, folder)
        rescue LockfileError
          false
        end

        def claims?(patterns, at, folder)
          relative = folder.delete_prefix("#{at.chomp("/")}/")
          left_out, taken = patterns.partition { |pattern| pattern.start_with?("!") }
          among?(taken, relative) && !among?(left_out.map { |pattern| pattern.delete_prefix("!") }, relative)
        end

        def patterns(workspaces, path)
          workspaces = workspaces["packages"] if workspaces.is_a?(Hash)
          Braces.check(Array(workspaces).grep(String), path).map do |pattern|
            pattern.sub(%r{\A(!?)\./}, "\\1").chomp("/")
          end
        end

        # Matches as the tools do: "**" before a file's name matches any number of folders.
        def among?(patterns, relative)
          patterns.any? do |pattern|
            File.fnmatch?("#{pattern}/#{PACKAGE}", "#{relative}/#{PACKAGE}", File::FNM_PATHNAME | File::FNM_EXTGLOB)
          end
        end
        private_class_method :above, :pnpm?, :npm, :pnpm, :member?, :npm_claims?, :claims?, :patterns, :among?
      end

      # Expands "{a,b}/{c,d}" in a workspace's patterns. Each pair of braces multiplies the alternatives, also in Ruby's
      # own File.fnmatch and Dir.glob, so their number is limited before anything is matched.
      module Braces
        # Maximum number of alternatives in all of a project's patterns together.
        MOST = 10_000
        # Maximum bytes of a pattern with braces, which is also the limit for paths.
        LONGEST = 4096
        GROUP = /\{[^{}]*\}/

        module_function

        # Returns the patterns. whose: the file, for messages. Raises LockfileError.
        def check(patterns, whose)
          room = MOST
          patterns.each do |pattern|
            raise LockfileError, "#{whose}: invalid pattern #{pattern.inspect}" if pattern.include?("\0")
            next unless pattern.include?("{")

            room -= pattern.bytesize > LONGEST ? room : alternatives(pattern, room).size
            next if room.positive?

            raise LockfileError.new("#{whose}: the braces of the workspace's patterns expand to more than #{MOST} " \
                                    "patterns, for example #{pattern[0, 60].inspect}", hint: "use * or ** instead")
          end
        end

        # The alternatives of a pattern, without braces. They may contain "/". Stops at about `most` alternatives.
        def alternatives(pattern, most = MOST)
          found = []
          pending = [pattern]
          while found.size < most && (one = pending.pop)
            group = one[GROUP]
            next found << one unless group

            before, after = one.split(group, 2)
            pending.concat(group[1..-2].split(",", -1).reverse.map { |each| "#{before}#{each}#{after}" })
          end
          found
        end
      end

      # Decides whether files in a parent of the user's folder may be read. A folder such as /tmp has files of other
      # users. A project's files can run programs, so files of other users are not even read.
      class Trust
        OTHERS_WRITE = 0o002
        # Files that mark a project.
        NAMES = [PACKAGE, *Workspace::PNPM, *Lockfiles::TOOLS.keys, Lockfiles::DENO].uniq.freeze

        # folder: the user's folder, absolute. Its owner is trusted, too, because root works in folders of other users.
        def initialize(folder)
          @folder = folder
          stat = File.stat(folder)
          @owners = [Process.euid, 0, stat.uid]
          # File systems without permissions report that everything is writable by others.
          @writable = stat.mode & OTHERS_WRITE
        end

        # The first file of a project in a folder that other users could have written, or nil.
        def culprit(folder)
          return if folder == @folder

          found = NAMES.map { |name| File.join(folder, name) }.select { |path| File.exist?(path) }
          foreign?(folder) ? found.first : found.find { |path| foreign?(path) }
        end

        private

        # Checks the owner of a link and of its target.
        def foreign?(path)
          stat = File.stat(path)
          !@owners.include?(stat.uid) || !@owners.include?(File.lstat(path).uid) ||
            stat.mode & OTHERS_WRITE > @writable
        end
      end
    end
  end
end
