# frozen_string_literal: true

require_relative "../../inputs"

module Spate
  module Build
    module Trace
      # Checks whether a stored build can be used in this bundle, on this machine, in this environment: all its inputs
      # are unchanged.
      class ReuseCheck
        # root: the bundle's folder. environment: Environment.
        def initialize(root, environment)
          @root = root
          @environment = environment
          @programs = Programs.new(environment.path, home)
          @memo = Inputs::Memo.new
        end

        attr_reader :programs

        # FoldersAbove of the bundle.
        def above = @above ||= FoldersAbove.new(@root, home)

        # {name => folder}: folders whose path differs for other users and projects. `roots` is used to check records.
        # New records refer only to `own_roots`, which exclude folders above the project.
        def roots = @roots ||= { **places, **above.roots }
        def own_roots = { **places, **above.own }

        # Returns nil if the build is usable, otherwise [reason, what, kind] of the first change.
        def change(stored)
          record = stored.record
          return [:folder, record.root, nil] if record.root && record.root != @root

          program, = record.programs.find { |name, path| !@programs.same?(name, path) }
          return [:program, program, :program] if program

          variable = newly_set_variable(record) and return [:value, variable, :environment]
          walked = record.walks.lazy.filter_map { |walk| walk.change(above) }.first and return walked
          appeared = missed(record.missed).find { |path| Content.exist?(path) }
          appeared ? [:appeared, appeared, :absent] : check(stored.inputs, stored)
        end

        # Whether the build can run here, although it could not be built here: its libraries exist, and the processor
        # matches.
        def runs?(stored)
          [nil, @root].include?(stored.record.root) && !check(stored.needs, stored)
        end

        # Formats a change as a sentence.
        def self.explain(reason, what, kind = nil)
          case reason
          when :folder then "it contains the path #{what} and works only there"
          when :program then "#{what} on the PATH is another program"
          when :apart then "it found #{what} above its bundle, which is not a parent folder of this one"
          when :root then root_sentence(what)
          else Inputs.explain(reason, what, kind)
          end
        end

        def self.root_sentence(name)
          distance = name.delete_prefix("above-").to_i
          return "it depends on files in the home folder, and HOME is not set" unless distance.positive?

          "it depends on files in the folder #{(["bundle"] + ([".."] * distance)).join("/")}, which does not exist here"
        end
        private_class_method :root_sentence

        # Clears the cached checks. Called because another process may have stored a build since.
        def forget
          @memo.forget
          @programs.forget
        end

        private

        def places = { "bundle" => @root, "home" => home }.compact

        # The absolute paths of Record#missed in this bundle.
        def missed(names)
          names.flat_map do |variable, path|
            next [above.expanded(path)] if variable.empty?

            @environment.named_folders.fetch(variable, []).map { |folder| "#{folder}/#{path}" }
          end
        end

        def home
          folder = @environment["HOME"].to_s
          folder.chomp("/") if folder.match?(%r{\A/[^/]})
        end

        # Returns a variable that is set now, was unset during the build, and is mentioned in a file that the build
        # read.
        def newly_set_variable(record)
          words = Words.parse(record.words)
          (@environment.countable_names - record.names).find { |name| words.mention?(name) }
        end

        def check(path, stored)
          renew_to = path if stored.store&.writable?
          answer = Inputs.check(path, roots, env: @environment.variables, memo: @memo, renew_to: renew_to)
          answer if answer.is_a?(Array)
        end
      end
    end
  end
end
