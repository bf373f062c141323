# frozen_string_literal: true

module Spate
  module JS
    module Npm
      # node_modules/.package-lock.json, in which npm notes what it has put there: what the lockfile says of each place
      # that is there, its kinds told anew. npm believes it as long as no folder of a package is newer than it.
      class HiddenLockfile
        autoload :JSONText, "spate/js/npm/hidden_lockfile/json_text"

        PATH = "node_modules/.package-lock.json"
        VERSION = 3
        # What npm notes of a package.json.
        FIELDS = %w[version dependencies peerDependencies peerDependenciesMeta optionalDependencies bundleDependencies
                    acceptDependencies funding engines os cpu libc license hasInstallScript bin deprecated
                    workspaces].freeze
        # How a package.json is written: npm writes this file the same way.
        LAYOUT = /\A\s*[{\[]((?:\r?\n)+)([\s\t]*)/

        # kept: [Place] that are there. resolved: whether archives' addresses are noted where the registry has them.
        def initialize(lockfile, kept, project, resolved: true)
          @lockfile = lockfile
          @kept = kept
          @project = project
          @resolved = resolved
        end

        # { path => text }; none where there is nothing in node_modules.
        def files(outcome)
          gone = outcome.skipped
          places = @kept.reject { |place| gone.any? { |key| key == place.path || place.path.start_with?("#{key}/") } }
          return {} if places.empty?

          { PATH => JSONText.new(**layout).generate(data(places, outcome)) }
        end

        private

        def data(places, outcome)
          noted = places.to_h { |place| [place.path, place.link? ? link(place) : entry(place, outcome)] }
          targets(places).each { |place| noted[place.path] = entry(place, outcome) }
          @lockfile.data.except("dependencies")
                   .merge("lockfileVersion" => VERSION, "requires" => true, "packages" => noted)
        end

        # Folders that links lead to, and those that lie between.
        def targets(places)
          linked = places.filter_map(&:target).reject(&:root?).select(&:folder?).uniq
          more = @lockfile.places.each_value.select do |place|
            place.folder? && !place.root? && !linked.include?(place) && (place.wanted? || !place.above&.root?)
          end
          linked + more
        end

        def link(place) = { "resolved" => place.target.path, "link" => true }

        def entry(place, outcome)
          source = place.data
          noted = {}
          FIELDS.each do |field|
            value = source[field]
            noted[field] = tidy(field, value, place) if value && !(value.respond_to?(:empty?) && value.empty?)
          end
          name(noted, place, source)
          note_archive(noted, place, outcome)
          note_kinds(noted, place)
          noted
        end

        def tidy(field, value, place)
          case field
          when "license" then value.is_a?(Hash) && value["type"] ? value["type"] : value
          when "bin" then Bins.clean(value, place.package_name)
          when "funding" then value.is_a?(String) ? { "url" => value } : value
          else value
          end
        end

        # Only where the folder does not tell.
        def name(noted, place, source)
          own = source["name"]
          noted["name"] = own if own && (own != (place.name || place.folder_name) || own != place.folder_name)
          development = source["devDependencies"]
          noted["devDependencies"] = development if place.folder? && development
        end

        def note_archive(noted, place, outcome)
          entry = place.entry
          noted["integrity"] = entry["integrity"] if entry["integrity"]
          noted["inBundle"] = true if place.bundler
          noted["hasInstallScript"] = true if script?(place, outcome)
          noted["hasShrinkwrap"] = true if entry["hasShrinkwrap"]
          noted["resolved"] = entry["resolved"] if entry["resolved"] && (@resolved || !registry?(place))
        end

        def script?(place, outcome)
          return true if place.entry["hasInstallScript"]

          scripts = place.manifest ? place.manifest["scripts"] : outcome.facts[place.path]&.scripts
          scripts.is_a?(Hash) && %w[preinstall install postinstall].any? { |name| scripts[name] }
        end

        def registry?(place) = !place.entry["resolved"].start_with?("file:")

        def note_kinds(noted, place)
          return noted["extraneous"] = true unless place.wanted?

          noted["peer"] = true if place.peer?
          noted["dev"] = true if place.dev?
          noted["optional"] = true if place.optional?
          noted["devOptional"] = true if place.dev_optional?
        end

        def layout
          text = File.read(File.join(@project.root, Project::PACKAGE), encoding: Encoding::UTF_8)
                     .delete_prefix(Project::Manifest::BOM)
          return { newline: $1 || "\n" } if /\A(?:\{\}|\[\])((?:\r?\n)+)?\z/ =~ text

          match = LAYOUT.match(text) or return {}
          match[2].empty? ? { newline: match[1] } : { indent: match[2], newline: match[1] }
        rescue SystemCallError
          {}
        end
      end
    end
  end
end
