# frozen_string_literal: true

module Spate
  module JS
    module Npm
      # node_modules/.package-lock.json, npm's record of what it installed: the lockfile's entry of each installed
      # place, with recomputed kinds. npm trusts it as long as no folder of a package is newer than it.
      class HiddenLockfile
        autoload :JSONText, "spate/js/npm/hidden_lockfile/json_text"

        PATH = "node_modules/.package-lock.json"
        VERSION = 3
        SHRINKWRAP = "npm-shrinkwrap.json"
        # Captures the newlines and the indent of a package.json, which npm also uses for this file.
        LAYOUT = /\A\s*[{\[]((?:\r?\n)+)([\s\t]*)/
        EMPTY = /\A(?:\{\}|\[\])((?:\r?\n)+)?\z/

        # kept: [Place] that are installed. shrinkwraps: whether this machine's npm reads the packages' shrinkwrap
        # files. resolved: whether to record addresses of registry archives.
        def initialize(lockfile, kept, shrinkwraps: false, resolved: true)
          @lockfile = lockfile.elsewhere
          @kept = kept
          @shrinkwraps = shrinkwraps
          @resolved = resolved
        end

        # { path => text }; empty if node_modules is empty.
        def files(outcome)
          gone = goes_with(outcome.skipped).to_h { |path| [path, true] }
          places = gone.empty? ? @kept : @kept.reject { |place| within?(gone, place) }
          return {} if places.empty?

          Graph::OptionalSet.connect(@lockfile.places) unless @resolved
          { PATH => JSONText.new(**layout(outcome.root)).generate(data(places, outcome)) }
        end

        # The state for an Image: its text does not depend on the place and time of a restore.
        def again(outcome) = Written.new(files(outcome))

        # Files with fixed texts. files: { path => text }.
        Written = Struct.new(:texts) do
          def files(_outcome) = texts
        end

        # Paths of failed optional packages and of places that only these need; npm removes all of them.
        def goes_with(keys)
          return [] if keys.empty?

          Graph::OptionalSet.connect(@lockfile.places)
          Graph::OptionalSet.of(keys.filter_map { |key| @lockfile.places[key] }).each { |one| one.inert = true }
          @kept.select(&:inert).map(&:path)
        end

        private

        def within?(gone, place)
          place = place.parent until place.nil? || gone.key?(place.path)
          !place.nil?
        end

        def data(places, outcome)
          noted = places.to_h { |place| [place.path, place.link? ? link(place) : entry(place, outcome)] }
          targets(places).each { |place| noted[place.path] = entry(place, outcome) }
          @lockfile.data.except("dependencies")
                   .merge("lockfileVersion" => VERSION, "requires" => true, "packages" => noted)
        end

        # The targets of links, and other folders of the project that are needed or are inside another folder.
        def targets(places)
          linked = places.filter_map(&:target).reject(&:root?).select(&:folder?).uniq
          linked | @lockfile.places.each_value.select do |place|
            place.folder? && !place.root? && (place.wanted? || !place.above&.root?)
          end
        end

        def link(place) = { "resolved" => place.target.path, "link" => true }

        def entry(place, outcome)
          data = (shrinkwrapped(place, outcome.root) if @shrinkwraps) || place.data
          Entry.new(place, data, outcome.facts[place.path], shrinkwraps: @shrinkwraps, resolved: @resolved).to_h
        end

        # The entry in the nearest package's own npm-shrinkwrap.json, which npm uses for places below that package.
        def shrinkwrapped(place, root)
          around = place.parent
          around = around.parent until around.nil? || around.entry["hasShrinkwrap"]
          return unless around

          @read ||= {}
          (@read[around.path] ||= shrinkwrap("#{root}/#{around.path}"))[place.path.delete_prefix("#{around.path}/")]
        end

        def shrinkwrap(folder)
          Lockfile.read(File.join(folder, SHRINKWRAP)).places.transform_values(&:entry)
        rescue Error
          {}
        end

        def layout(root)
          text = File.read(File.join(root, Project::PACKAGE), encoding: Encoding::UTF_8)
                     .delete_prefix(Project::Manifest::BOM)
          return { newline: $1 || "\n" } if EMPTY =~ text

          match = LAYOUT.match(text) or return {}
          match[2].empty? ? { newline: match[1] } : { indent: match[2], newline: match[1] }
        rescue SystemCallError
          {}
        end

        # The entry that npm writes for a place that is not a link.
        class Entry
          # Fields of package.json.
          FIELDS = %w[version dependencies peerDependencies peerDependenciesMeta optionalDependencies bundleDependencies
                      acceptDependencies funding engines os cpu libc license hasInstallScript bin deprecated
                      workspaces].freeze
          SCRIPTS = %w[preinstall install postinstall].freeze
          # The install script that npm assumes for a package with a binding.gyp.
          GYP = "node-gyp rebuild"
          # Specs of dependencies that do not come from a registry.
          ELSEWHERE = %r{\A(?:https?:|file:|link:|\.{0,2}/|~/|[^@/\s]+/[^@/\s]+\z)}

          # source: Hash, the place's data. facts: Facts of its folder, or nil. shrinkwraps: whether npm has read the
          # packages' shrinkwrap files. resolved: whether to record addresses that a registry would return.
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

          # Records the name only if it differs from the folder's name.
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

          # Whether all dependents require it from a registry.
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
