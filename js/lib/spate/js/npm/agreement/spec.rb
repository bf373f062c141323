# frozen_string_literal: true

module Spate
  module JS
    module Npm
      class Agreement
        # The spec of a dependency: a range, a tag, an alias, a folder, an archive.
        #
        # https://docs.npmjs.com/cli/using-npm/package-spec
        class Spec
          ALIAS = %r{\Anpm:(?:@[^/@]+/)?[^/@]+(?:@(.*))?\z}
          FOLDER = %r{\A(?:file:|link:|\.{1,2}(?:/|\z)|/|~/)}
          # Replaces the root, deep enough that no path climbs out of it.
          SOMEWHERE = ("/root" * 40).freeze
          # Dist-tags, which only the registry resolves: "latest", "next".
          TAG = /\A[a-zA-Z][\w.-]*\z/

          # Fast path for most specs and versions: a lockfile has thousands.
          USUAL = /\A(\d{1,9})\.(\d{1,9})\.(\d{1,9})\z/

          def initialize(text)
            @text = text.strip
            @operator = @text[/\A[\^~]?/]
            @numbers = numbers(@text.delete_prefix(@operator))
          end

          # Whether a place is what is asked for. from: Place that asks.
          def met?(place, from)
            usual = @numbers && known(place.version)
            return usual unless usual.nil?

            case @text
            when ALIAS then Spec.new($1 || "*").met?(place, from)
            when FOLDER then folder?(place, from)
            when %r{\Ahttps?://} then git? || place.entry["resolved"] == @text
            else version?(place)
            end
          end

          private

          # Where it comes from is looked at elsewhere.
          def git? = Source::GIT.match?(@text)

          def version?(place)
            return true if ["", "*"].include?(@text) || git? || @text.match?(%r{\A[^@/\s]+/[^@/\s]+\z})
            return TAG.match?(@text) unless range

            version = Semver::Version.parse(place.version, loose: true)
            !version.nil? && range.include?(version)
          end

          def range = @range ||= Semver::Range.parse(@text, loose: true)

          def numbers(text)
            text.split(".").map(&:to_i) if USUAL.match?(text)
          end

          # Once for the same version; nil for an unusual one.
          def known(version)
            @known ||= {}
            @known.fetch(version) { @known[version] = (found = numbers(version.to_s)) && usual?(found) }
          end

          # The fixed numbers: for "~" major and minor, for "^" all up to the first that is not 0.
          def usual?(found)
            return found == @numbers if @operator == ""

            kept = @operator == "~" ? 2 : (@numbers.index(&:positive?) || 2) + 1
            found.first(kept) == @numbers.first(kept) && (found <=> @numbers) >= 0
          end

          def folder?(place, from)
            path = File.expand_path(@text.sub(/\A(?:file|link):/, ""), File.join(SOMEWHERE, from.path))
            return File.expand_path(place.target.path, SOMEWHERE) == path if place.target

            resolved = place.entry["resolved"].to_s
            resolved.start_with?("file:") && File.expand_path(resolved.delete_prefix("file:"), SOMEWHERE) == path
          end
        end
      end
    end
  end
end
