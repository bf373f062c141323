# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Memory
        # The plan of a lockfile, stored for the next restore, which then need not read the lockfile. It is valid for
        # the same lockfile and the same surroundings, while its Sources have the same content; also in another folder,
        # such as a new clone, unless its Reach is smaller.
        #
        # It is a Ruby object graph (Marshal), and loading one can run any code. So it is read only from a folder of
        # this user that no other user can write to.
        #
        #   spate-plan 4<TAB>lengths of the parts<LF>surroundings, sources, plan
        class KeptPlan
          HEADER = "spate-plan 4"
          KIND = "js-plans"

          # surroundings: of Surroundings.
          def initialize(store, root, surroundings, env = {})
            @store = store
            @env = env
            @root = root
            @surroundings = surroundings.b
          end

          # [Plan, Sources], or nil.
          def load
            found = nil
            Reach.all(@root).find { |reach| found = read(path(reach)) }
            found
          end

          # Returns false if it cannot be stored. reading: Reading of the plan's inputs.
          def save(plan, reading, sources)
            return false if @store.keeper.nil?

            text = Marshal.dump(plan.anywhere)
            reach = text.include?(@root.b) ? @root : Reach.new(plan, reading, @env, @store.path("links")).to_s
            text = [@surroundings, sources.to_s, text]
            @store.keeper.write(KIND, key(reach), "#{HEADER}\t#{text.map(&:bytesize).join(" ")}\n".b << text.join)
          rescue TypeError
            false
          end

          # Where one of a certain Reach is.
          def path(reach) = @store.keeper&.path(KIND, key(reach))

          private

          def key(reach) = Store.sha256([reach, @surroundings, *lockfiles].join("\0"))

          # Digests of the project's lockfiles now.
          def lockfiles
            @lockfiles ||= Reach::LOCKFILES.map do |name|
              Store.sha256(Reading.bytes(File.join(@root, name)))
            rescue SystemCallError, Error
              ""
            end
          end

          def read(path)
            path &&= OwnFile.find(path)
            surroundings, sources, plan = parts(path && Store::Text.read(path))
            return unless surroundings == @surroundings

            sources = Sources.parse(sources, @root).renewed(@store, @env)
            found = Marshal.load(plan) if sources # rubocop:disable Security/MarshalLoad -- OwnFile
            [found.at(@root), sources] if found.is_a?(Plan)
          rescue ArgumentError, TypeError, NameError
            nil # of another version
          end

          def parts(text)
            text = text&.b
            head = text&.slice(/\A#{HEADER}\t[\d ]+\n/o) or return []
            at = head.bytesize
            head.split("\t").last.split.map { |length| text.byteslice(at, length.to_i).tap { at += length.to_i } }
          end
        end

        # Whether only this user and root can have written a file: they own it and every folder above it. In a sticky
        # folder such as /tmp, users can remove only their own files.
        module OwnFile
          OTHERS = 0o022
          STICKY = 0o1000

          module_function

          # The path to read it by, nil if it is not safe. path: absolute. Links in the folders above it may belong to
          # others, so the result has none; if the file itself is a link, it is not followed.
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

          # A folder and all folders above it.
          def above(folder)
            found = [folder]
            found << (folder = File.dirname(folder)) until folder == "/"
            found
          end
        end

        # The folders in which a stored plan is valid while its inputs are the same there: any, unless something in it
        # may depend on the project's place. This is decided from the text of the inputs, so anything suspicious counts.
        class Reach
          # Text that refers to a parent folder, or may do so in escaped form.
          ELSEWHERE = %r{(?<![.\w])\.\.(?![.\w])|\\[uUx/]}
          LOCKFILES = %w[npm-shrinkwrap.json package-lock.json pnpm-lock.yaml].freeze
          # Of dependencies, or of this project: what they name besides settings is in the plan.
          PACKAGE = "package.json"

          # The keys under which a plan for a folder may be: the nearest first.
          def self.all(root) = [root, File.dirname(root), ""]

          # links: the folder that trees of all projects are in.
          def initialize(plan, reading, env, links)
            @plan = plan
            @root = plan.root
            @reading = reading
            @env = env
            @links = links
          end

          # One of .all: this folder alone, those beside it, or any.
          def to_s
            here, beside, any = Reach.all(@root)
            return here if named? || climbs?

            shared? ? beside : any
          end

          private

          # Whether a source names the project's folder, or one above it.
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
              LOCKFILES.include?(name = File.basename(path)) || (name == PACKAGE && File.dirname(path) != @root)
            end
            files.values.map(&:b) + variables
          end

          # Whether a path of the plan leads out of the project, or of the folder of shared trees.
          def climbs?
            @plan.projects.any? { |path| out?(path) } || @plan.trees.any? { |tree| out?(tree.path) } ||
              @plan.links.any? { |path, target| out?(path) || leaves?(path, target) }
          end

          def out?(path) = path.start_with?("../") || (path.start_with?("/") && !path.start_with?("#{@links}/"))

          # Targets lead up first, and then down.
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
