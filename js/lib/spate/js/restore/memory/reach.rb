# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Memory
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
