# frozen_string_literal: true

module Spate
  module JS
    module Npm
      class HiddenLockfile
        # The entry that npm writes for a place that is not a link.
        class Entry
          # Fields of package.json.
          FIELDS = %w[version dependencies peerDependencies peerDependenciesMeta optionalDependencies bundleDependencies
                      acceptDependencies funding engines os cpu libc license hasInstallScript bin deprecated
                      workspaces].freeze
          SCRIPTS = %w[preinstall install postinstall].freeze
          # The install script that npm assumes for a package with a binding.gyp.
          GYP = "node-gyp rebuild"
          # Dependencies that no registry resolves.
          ELSEWHERE = %r{\A(?:https?:|file:|link:|\.{0,2}/|~/|[^@/\s]+/[^@/\s]+\z)}

          # source: Hash, the place's data. facts: Facts of its folder, or nil. shrinkwraps: whether npm has read those
          # of packages. resolved: whether to record addresses that a registry would return.
          def initialize(place, source, facts, shrinkwraps:, resolved:)
            @place = place
            @source = source
            @facts = facts
            @shrinkwraps = shrinkwraps
            @resolved = resolved
          end

          def to_h
            noted = {}
            FIELDS.each do |field|
              value = @source[field]
              noted[field] = tidy(field, value) if value && !(value.respond_to?(:empty?) && value.empty?)
            end
            note_name(noted)
            note_archive(noted)
            note_kinds(noted)
            noted
          end

          private

          def tidy(field, value)
            case field
            when "license" then value.is_a?(Hash) && value["type"] ? value["type"] : value
            when "bin" then Bins.clean(value, @place.package_name)
            when "funding" then value.is_a?(String) ? { "url" => value } : value
            else value
            end
          end

          # Only where the folder does not tell.
          def note_name(noted)
            own = @source["name"]
            noted["name"] = own if own && (own != (@place.name || own) || own != @place.folder_name)
            development = @source["devDependencies"]
            noted["devDependencies"] = development if @place.folder? && development
          end

          def note_archive(noted)
            entry = @place.entry
            noted["integrity"] = entry["integrity"] if entry["integrity"]
            noted["inBundle"] = true if @place.bundler
            noted["hasInstallScript"] = true if script?
            noted["hasShrinkwrap"] = true if entry["hasShrinkwrap"] && @shrinkwraps
            noted["resolved"] = entry["resolved"] if entry["resolved"] && (@resolved || !registry?)
          end

          def script?
            return true if @place.entry["hasInstallScript"] || (@facts&.builds? && @facts.scripts["install"] == GYP)

            scripts = @place.manifest&.[]("scripts")
            scripts.is_a?(Hash) && SCRIPTS.any? { |name| scripts[name].is_a?(String) && scripts[name] != "" }
          end

          # Whether all dependents need it from a registry.
          def registry?
            asking = Graph::OptionalSet.pairs(@place.dependents).map(&:first)
            asking.any? && asking.none? { |from| elsewhere?(from.data) }
          end

          def elsewhere?(data)
            spec = %w[devDependencies optionalDependencies dependencies peerDependencies]
                   .filter_map { |field| data[field]&.[](@place.name) }.first
            ELSEWHERE.match?(spec.to_s) || Source::GIT.match?(spec.to_s)
          end

          def note_kinds(noted)
            return noted["extraneous"] = true unless @place.wanted?

            noted["peer"] = true if @place.peer?
            noted["dev"] = true if @place.dev?
            noted["optional"] = true if @place.optional?
            noted["devOptional"] = true if @place.dev_optional?
          end
        end
      end
    end
  end
end
