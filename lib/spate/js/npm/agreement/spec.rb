# frozen_string_literal: true

module Spate
  module JS
    module Npm
      class Agreement
        # What a dependency asks for: a range, a tag, an alias, a folder, an archive.
        #
        # https://docs.npmjs.com/cli/using-npm/package-spec
        class Spec
          ALIAS = %r{\Anpm:(?:@[^/@]+/)?[^/@]+(?:@(.*))?\z}
          FOLDER = %r{\A(?:file:|link:|\.{1,2}(?:/|\z)|/|~/)}
          # Stands for the root, so deep that no path climbs out of it.
          SOMEWHERE = ("/root" * 40).freeze
          # What only the registry knows: "latest", "next".
          TAG = /\A[a-zA-Z][\w.-]*\z/

          def initialize(text)
            @text = text.strip
          end

          # Whether a place is what is asked for. from: Place that asks.
          def met?(place, from)
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
            return TAG.match?(@text) unless Semver::Range.parse(@text, loose: true)

            Semver.satisfies?(place.version, @text, loose: true)
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
