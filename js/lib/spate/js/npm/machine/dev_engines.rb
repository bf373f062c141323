# frozen_string_literal: true

module Spate
  module JS
    module Npm
      class Machine
        # The root's `devEngines`: the tools required for working on a project. A tool of unknown version is accepted.
        #
        # https://docs.npmjs.com/cli/configuring-npm/package-json#devengines
        class DevEngines
          FIELD = "devEngines"
          # npm versions that support the field; earlier ones ignore it.
          SINCE = ">=10.9.0"
          FIELDS = %w[name version onFail].freeze
          REACTIONS = %w[ignore warn error download].freeze

          # engine:: "runtime". wanted, found:: texts for the user: "node >=22". fatal:: whether npm stops.
          Problem = Struct.new(:engine, :wanted, :found, :fatal) do
            def to_s = "package.json requires #{engine} #{wanted} (devEngines), found #{found}"
          end

          # [Problem] that only cause warnings in npm. project: Npm::Project. force: no problem is fatal. Raises
          # LockfileError.
          def self.check(project, machine, tooling, force:)
            return [] unless project.manifest.key?(FIELD) && known?(tooling.npm_version)

            path = File.join(project.root, Project::PACKAGE)
            problems = new(project.manifest[FIELD], machine, tooling, path).problems
            fatal = force ? [] : problems.select(&:fatal)
            return problems if fatal.empty?

            raise LockfileError.new(fatal.first.to_s, details: fatal.drop(1).map(&:to_s),
                                                      hint: "use that, or set force = true in .npmrc")
          end

          def self.known?(npm) = npm.nil? || Semver.satisfies?(npm, SINCE, prereleases: true)
          private_class_method :known?

          # value: from package.json. path: of package.json, for messages.
          def initialize(value, machine, tooling, path)
            @value = value
            @machine = machine
            @tooling = tooling
            @path = path
          end

          # [Problem]. Raises LockfileError for a value that npm does not understand.
          def problems
            check(@value.is_a?(Hash), FIELD, @value)
            @value.filter_map { |engine, wanted| problem(engine, wanted) }
          end

          private

          # If `wanted` is a list, one item must match. If none does, the onFail of the last one applies.
          def problem(engine, wanted)
            found = found(engine)
            all = wanted.is_a?(Array) ? wanted.flatten(1) : [wanted]
            fits = all.map { |one| checked(engine, one) && fit?(one, found) }
            return if fits.any? || all.empty? || all.last["onFail"] == "ignore"

            Problem.new(engine, all.map { |one| format_version(one.values_at("name", "version")) }.join(" or "),
                        format_version(found), all.last["onFail"] != "warn")
          end

          def format_version(name_and_version) = name_and_version.compact.join(" ")

          # [name, version], each nil if unknown
          def found(engine)
            case engine
            when "runtime" then ["node", @tooling.node_version]
            when "packageManager" then ["npm", @tooling.npm_version]
            when "os" then [@machine.os, release]
            when "cpu" then [@machine.cpu]
            when "libc" then [@machine.libc]
            else check(false, "devEngines.#{engine}", @value[engine])
            end
          end

          def release
            require "etc"
            Etc.uname[:release]
          end

          def checked(engine, one)
            place = "devEngines.#{engine}"
            check(one.is_a?(Hash) && (one.keys - FIELDS).empty? && one["name"].is_a?(String), place, one)
            check(!one.key?("version") || one["version"].is_a?(String), "#{place}.version", one["version"])
            check(!one.key?("onFail") || REACTIONS.include?(one["onFail"]), "#{place}.onFail", one["onFail"])
          end

          def check(good, place, value)
            good or raise LockfileError.new(
              "#{@path}: `#{place}`: invalid value #{Reading.shown(value)}",
              hint: "expected { \"runtime\": { \"name\": \"node\", \"version\": \">=20\", \"onFail\": \"error\" } }"
            )
          end

          def fit?(one, found)
            name, version = found
            return false unless one["name"] == name

            range = one["version"]
            return true if range.nil? || version.nil?

            Semver::Range.parse(range) ? Semver.satisfies?(version, range) : version == range.delete_prefix("v")
          end
        end
      end
    end
  end
end
