# frozen_string_literal: true

module Spate
  module JS
    module Restore
      # Data in the store about a project, for later restores.
      module Memory
        %i[KeptPlan OwnFile Reach].each { |name| autoload name, "spate/js/restore/memory/kept_plan" }
        %i[Draft Image].each { |name| autoload name, "spate/js/restore/memory/image" }
        autoload :Sources, "spate/js/restore/memory/sources"

        # Several texts in one.
        #
        #   header<TAB>lengths of the parts<LF>parts
        module Parts
          module_function

          def join(header, parts)
            "#{header}\t#{parts.map(&:bytesize).join(" ")}\n".b << parts.map(&:b).join
          end

          # [String], in binary. Empty if the text has another header.
          def split(header, text)
            text = text&.b
            head = text&.slice(/\A#{header}\t[\d ]+\n/) or return []
            at = head.bytesize
            head.split("\t").last.split.map { |length| text.byteslice(at, length.to_i).tap { at += length.to_i } }
          end
        end

        # A record of a project's node_modules after a restore. With it, the next restore quickly detects that there is
        # nothing to do. Contains the Sources of the plan, and the lstat of the tool's state files, of each folder with
        # packages or links, and of each package's package.json. For state files it includes the ctime, because an edit
        # may keep size and mtime. Stored as text under "js". The packages are in a Store::BundleRecord, which prune
        # reads.
        #
        #   spate-js 4<TAB>lengths of the parts<LF>surroundings, summary, sources, names, marks, watched, changes
        class Record
          HEADER = "spate-js 4"
          KIND = "js"

          NEVER = "\0".b * 12
          private_constant :NEVER

          # surroundings:: other inputs: options, environment, versions
          # summary:: { "tool" => ..., "total" => ... }
          # sources:: Sources
          # names:: paths, relative or absolute, each followed by a NUL; marks:: result of Native.marks for them
          # watched:: paths of files whose ctime is compared, too; changes:: these ctimes
          attr_reader :root, :surroundings, :summary, :sources, :names, :marks, :watched, :changes

          # root: real path of the project. Returns nil without a complete record.
          def self.load(store, root)
            store.all_stores.filter_map { |shelf| parse(root, shelf.read(KIND, key(root))) }.first
          end

          def self.key(root) = Store.sha256(root)

          def self.parse(root, text)
            surroundings, summary, sources, names, marks, watched, changes = Parts.split(HEADER, text)
            return unless surroundings

            new(root, surroundings: surroundings, summary: summary.split("\n").to_h { |line| line.split("\t", 2) },
                      sources: Sources.parse(sources, root), names: names, marks: marks, watched: watched,
                      changes: changes)
          end

          def self.forget(store, root)
            store.all_stores.each { |shelf| Util::Files.remove(shelf.path(KIND, key(root))) if shelf.writable? }
          end

          def initialize(root, surroundings:, summary:, names:, sources: nil, marks: nil, watched: "", changes: nil)
            @root = root
            @surroundings = surroundings.b
            @summary = summary
            @sources = sources
            @names = names.b
            @watched = watched.b
            @changes = changes || look_at_changes
            @marks = marks || Native.marks(root, @names)
          end

          # Whether nothing has changed since the record was written.
          def hold?(surroundings, env = {})
            @surroundings == surroundings.b && !@marks.nil? && @sources.same?(env) &&
              Native.marks(root, @names) == @marks && look_at_changes == @changes
          end

          # Whether the tool's state files are unchanged. If so, no other tool has run since the restore.
          def state? = look_at_changes == @changes

          # { name => its mark }
          def by_name
            names.split("\0").each_with_index.to_h { |name, index| [name, mark(index)] }
          end

          # Stores the sources with current times if the recorded times do not prove that the contents are unchanged.
          # The next check then need not read contents.
          def renew(store, env = {})
            return unless @sources.worn?

            @sources = @sources.renewed(store, env) || return
            save(store)
          end

          # Returns false if the record cannot be written.
          def save(store)
            writable = @marks && store.writable_store
            writable ? writable.write(KIND, Record.key(root), to_s) : false
          end

          def to_s
            told = summary.map { |pair| pair.join("\t") }.join("\n")
            Parts.join(HEADER, [surroundings, told, sources.to_s, names, marks, watched, changes])
          end

          private

          # Reads the ctimes, which Native.marks does not contain.
          def look_at_changes
            @watched.split("\0").map do |name|
              time = File.lstat("#{root}/#{name}").ctime
              [time.to_i, time.nsec].pack("qL")
            rescue SystemCallError
              NEVER
            end.join
          end

          def mark(index) = marks.byteslice(index * Native::MARK_BYTES, Native::MARK_BYTES)
        end

        # Everything besides a plan's inputs that affects node_modules: options, environment, versions.
        class Surroundings
          # Variables that package managers read.
          READ = /\A(?:npm_config_|pnpm_config_|(?:pnpm_home|node_env|home|prefix|ci|xdg_\w+_home|spate_copy)\z)/i
          # Secret variables that affect only the login at a registry.
          SECRET = /auth|passw|token|secret|cert|key/i
          # Options of JS::Options that affect the result of later runs, too.
          OPTIONS = %i[copy omit ignore_scripts global_virtual_store].freeze

          # Whether a variable affects node_modules.
          def self.read?(name) = READ.match?(name) && !SECRET.match?(name)

          def initialize(env, options, store)
            @env = env
            @options = options
            @store = store
          end

          # Returns a digest, because addresses may contain passwords.
          def to_s
            options = OPTIONS.map { |name| @options[name] }
            all = [VERSION, store, options, File.umask, Process.euid, variables, programs]
            Store.sha256(all.map(&:inspect).join("\n"))
          end

          private

          # The store's real path: node_modules may have links into it.
          def store
            near = Util::Files.nearest(@store.root)
            File.realpath(near) + @store.root.delete_prefix(near)
          end

          def variables
            @env.select { |name, _| Surroundings.read?(name) }.sort
          end

          # node is included because of `engines`, the tools because their behavior depends on their version.
          def programs = %w[node npm pnpm].map { |name| program(name) }

          def program(name)
            @env["PATH"].to_s.split(":").each do |folder|
              stat = File.stat(path = File.join(folder, name))
              return [path, stat.size, stat.ino, stat.mtime.to_r] if stat.file?
            rescue SystemCallError
              next
            end
            nil
          end
        end

        # Records the package of each tree of a project, as a Store::BundleRecord of its node_modules. Prune uses it to
        # find packages in use, the next restore to find trees that it need not change.
        module Places
          MODULES = "node_modules"

          module_function

          # built: keys of trees whose scripts ran or are about to run: their files are not shared. builds: keys of the
          # stored results of these scripts. slots: see Store::BundleRecord.
          def save(context, plan, items, **notes) = of(context, plan, items, **notes).save(context.store)

          # The BundleRecord that #save writes.
          def of(context, plan, items, built: [], builds: [], slots: {})
            built = built.to_h { |key| [key, true] }
            trees = plan.trees.reject { |tree| tree.path.start_with?("/") }.filter_map do |tree|
              key = items.of(tree).key or next
              Store::BundleRecord::Tree.new(path: inside(tree.path), packages: [key], private: !!built[tree.key])
            end
            trees << Store::BundleRecord::Tree.new(path: "", builds: builds) unless builds.empty?
            record(plan.root, trees, context.link_method, slots)
          end

          # [{ path of a tree => BundleRecord::Tree }, link method of its files or nil]
          def load(context, root)
            record = Store::BundleRecord.load(context.store, "#{root}/#{MODULES}") or return [{}, nil]
            [record.trees.to_h { |tree| [outside(tree.path), tree] }, record.link_method.to_sym]
          end

          # The builds that #save recorded.
          def builds(context, root)
            record = Store::BundleRecord.load(context.store, "#{root}/#{MODULES}")
            record ? record.trees.flat_map(&:builds) : []
          end

          # Whether a BundleRecord of the folder lists results of scripts.
          def builds?(store, root)
            key = Store::BundleRecord.key("#{root}/#{MODULES}")
            store.all_stores.any? { |shelf| shelf.read("bundles", key)&.match?(/^tree\t\w+\t(?:[^\t]*,)?b:/) }
          end

          # Converts paths: those of a plan are relative to the project, those of the record to its node_modules.
          def inside(path) = path.start_with?("#{MODULES}/") ? path.delete_prefix("#{MODULES}/") : "../#{path}"
          def outside(path) = path.start_with?("../") ? path.delete_prefix("../") : "#{MODULES}/#{path}"

          def record(root, trees, method, slots)
            Store::BundleRecord.new(root: "#{root}/#{MODULES}", app: root, trees: trees, link_method: method,
                                    slots: slots)
          end
        end

        # Lists the paths whose lstat is part of a Record.
        class Names
          # Absolute paths of archives in the project without a digest. Replacing one changes the package.
          def self.archives(plan)
            plan.trees.map(&:package).select { |package| package.file? && package.integrity.nil? }.uniq(&:resolved)
                .map { |package| File.join(plan.root, package.resolved.delete_prefix("file:").delete_prefix("./")) }
          end

          # trees: installed trees; entries: paths of links and bins; state: paths of state files.
          def initialize(trees, entries, state)
            @trees = trees
            @entries = entries
            @state = state
          end

          # State files of the tool, each followed by a NUL.
          def watched = @state.map { |name| "#{name}\0" }.join

          # All paths, each followed by a NUL. A folder's mtime changes when a name in it is added or removed.
          def to_s
            folders = [*@trees.map(&:path), *@entries].map { |path| File.dirname(path) }
            packages = @trees.map { |tree| "#{tree.path}/package.json" }
            [*@state, *folders, *packages].uniq.map { |name| "#{name}\0" }.join
          end
        end
      end
    end
  end
end
