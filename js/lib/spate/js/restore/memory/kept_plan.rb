# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Memory
        # A stored plan, with which the next restore need not read the lockfile. It is valid for the same lockfile and
        # surroundings while its Sources have the same content. Unless its Reach is limited, this also applies to
        # another folder, such as a new clone.
        #
        # A stored plan is a Ruby object graph (Marshal), and loading one can run any code. So plans are read only from
        # a folder that belongs to this user and that no other user can write to.
        #
        # The parts of its text (see Parts): surroundings, sources, plan.
        class KeptPlan
          HEADER = "spate-plan 4"
          KIND = "js-plans"

          # surroundings: String, see Surroundings.
          def initialize(store, root, surroundings, env = {})
            @store = store
            @env = env
            @root = root
            @surroundings = surroundings.b
          end

          # The Reach of the plan that #load returned or #save stored; nil without one.
          attr_reader :reach, :root

          # [Plan, Sources], or nil.
          def load
            found = nil
            @reach = Reach.all(@root).find { |reach| found = read(path(reach)) }
            found
          end

          # Returns false if the plan cannot be stored. reading: Reading of the plan's inputs.
          def save(plan, reading, sources)
            return false if @store.writable_store.nil?

            text = Marshal.dump(plan.anywhere)
            reach = text.include?(@root.b) ? @root : Reach.new(plan, reading, @env, @store.path("links")).to_s
            parts = [@surroundings, sources.to_s, text]
            written = @store.writable_store.write(KIND, key(reach), Parts.join(HEADER, parts))
            @reach = reach if written
            written
          rescue TypeError
            false
          end

          # The path of a plan with a certain Reach, or of other data for it.
          def path(reach, kind = KIND) = @store.writable_store&.path(kind, key(reach))

          private

          def key(reach) = Store.sha256([reach, @surroundings, *lockfiles].join("\0"))

          # Digests of the project's current lockfiles.
          def lockfiles
            @lockfiles ||= Reach::LOCKFILES.map do |name|
              Store.sha256(Reading.bytes(File.join(@root, name)))
            rescue SystemCallError, Error
              ""
            end
          end

          def read(path)
            path &&= OwnFile.find(path)
            surroundings, sources, plan = Parts.split(HEADER, path && Store::Text.read(path))
            return unless surroundings == @surroundings

            sources = Sources.parse(sources, @root).renewed(@store, @env)
            found = Marshal.load(plan) if sources # rubocop:disable Security/MarshalLoad -- OwnFile
            [found.at(@root), sources] if found.is_a?(Plan)
          rescue ArgumentError, TypeError, NameError
            nil # written by another version
          end
        end

        # Whether only this user and root can have written a file: they own the file and every folder above it. In a
        # sticky folder such as /tmp, users can remove only their own files.
        module OwnFile
          OTHERS = 0o022
          STICKY = 0o1000

          module_function

          # The path by which to read the file; nil if it is not safe. path: absolute. The result contains no links,
          # because links in the folders above may belong to other users. If the file itself is a link, the result is
          # nil.
          def find(path)
            folder = File.realpath(File.dirname(path))
            stat = File.lstat(found = File.join(folder, File.basename(path)))
            found if stat.file? && own?(stat) && above(folder).all? { |each| own?(File.lstat(each)) }
          rescue SystemCallError
            nil
          end

          def own?(stat)
            [Process.euid, 0].include?(stat.uid) &&
              (stat.mode & OTHERS == 0 || (stat.directory? && stat.mode & STICKY != 0))
          end

          # A folder and all its parents.
          def above(folder)
            found = [folder]
            found << (folder = File.dirname(folder)) until folder == "/"
            found
          end
        end

        # Determines in which folders a stored plan is valid while its inputs are unchanged there: in any folder, unless
        # an input may depend on the project's location. This is decided from the text of the inputs; a mere possibility
        # limits the plan to its own folder.
        class Reach
          # Text that refers to a parent folder, or may do so in escaped form.
          ELSEWHERE = %r{(?<![.\w])\.\.(?![.\w])|\\[uUx/]}
          LOCKFILES = %w[npm-shrinkwrap.json package-lock.json pnpm-lock.yaml].freeze
          # For a dependency or this project, a plan contains everything that the package.json names, except settings.
          PACKAGE = "package.json"

          # The folders for which a plan can be stored, nearest first. "" means any folder.
          def self.all(root) = [root, File.dirname(root), ""]

          # links: the folder with the trees shared by all projects.
          def initialize(plan, reading, env, links)
            @plan = plan
            @root = plan.root
            @reading = reading
            @env = env
            @links = links
          end

          # Returns one of .all: the plan is valid for this folder only, for its siblings, or for any folder.
          def to_s
            here, beside, any = Reach.all(@root)
            return here if named? || climbs?

            shared? ? beside : any
          end

          private

          # Whether a source contains the path of the project's folder, or may refer to a parent folder.
          def named?
            texts = @reading.contents.values.map(&:b) + variables
            texts.any? { |text| text.include?(@root.b) } || settings.any? { |text| ELSEWHERE.match?(text) }
          end

          def variables
            names = @reading.variables
            @env.filter_map { |name, value| value.b if Surroundings.read?(name) || names.include?(name) }
          end

          def settings
            files = @reading.contents.reject do |path, _|
              LOCKFILES.include?(name = File.basename(path)) || (name == PACKAGE && File.dirname(path) != @root) ||
                program?(path)
            end
            files.values.map(&:b) + variables
          end

          # Whether a file is code of npm, which lists its settings. Relative paths in it do not depend on the project.
          def program?(path) = path.end_with?(".js") && !path.start_with?("#{@root}/")

          # Whether a path of the plan leads out of the project or of the folder of shared trees.
          def climbs?
            @plan.projects.any? { |path| out?(path) } || @plan.trees.any? { |tree| out?(tree.path) } ||
              @plan.links.any? { |path, target| out?(path) || leaves?(path, target) }
          end

          def out?(path) = path.start_with?("../") || (path.start_with?("/") && !path.start_with?("#{@links}/"))

          # Whether a link leads out. A target first leads up, then down.
          def leaves?(path, target)
            return !target.start_with?("#{@links}/") if target.start_with?("/")

            up = "#{target}/"[%r{\A(?:\.\./)*}]
            return "#{target}/".delete_prefix(up).match?(ELSEWHERE) if up.count("/") <= depth(path)

            path.start_with?("/") || !File.expand_path("#{@root}/#{path}/../#{target}").start_with?("#{@links}/")
          end

          def depth(path) = path.delete_prefix("#{@links}/").count("/")
          def shared? = @plan.trees.any? { |tree| tree.path.start_with?("/") }
        end
      end
    end
  end
end
