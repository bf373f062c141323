# frozen_string_literal: true

module Spate
  module JS
    module Npm
      # Where a place's archive comes from: the Package, or why npm is to fetch it itself.
      class Source
        autoload :Allowed, "spate/js/npm/source/allowed"

        # Dependencies that npm packs itself, running their scripts.
        GIT = %r{\A(?:git(?:\+[a-z]+)?:|github:|gitlab:|bitbucket:|gist:)|\A[a-z+]+://[^#?]+\.git(?:#|\z)}i
        REMOTE = %r{\Ahttps?://}i
        ARCHIVE = /\.(?:tgz|tar\.gz|tar)\z/i

        # whose: the lockfile, for messages.
        def initialize(whose)
          @whose = whose
          @packages = {}
        end

        # The Package of a place; the same object for the same archive. Raises LockfileError, LeftToTool.
        def package(place)
          entry = place.entry
          text = entry["integrity"]
          name = place.package_name
          key = text && entry["version"] ? [text, name, entry["resolved"]] : place
          @packages[key] ||= Package.new(name: name, version: entry["version"], integrity: integrity(place, text),
                                         resolved: resolved(place, entry["resolved"]))
        end

        private

        def integrity(place, text)
          return unless text

          Package::Integrity.parse(text) or raise LockfileError.new(
            "#{@whose}: #{place.path}: unsupported integrity #{text.inspect[0, 60]}: expected SHA-512, 384, 256 or 1",
            hint: "the lockfile may have been edited: compare it with its last commit"
          )
        end

        def resolved(place, address)
          return address if address.nil? || (REMOTE.match?(address) && !GIT.match?(address))
          return file(place, address) if address.start_with?("file:")

          raise LeftToTool, "#{place.path} comes from #{GIT.match?(address) ? "git" : address[0, 60].inspect}"
        end

        def file(place, address)
          path = address.delete_prefix("file:").delete_prefix("./")
          raise LeftToTool, "#{place.path} is a copy of a folder (install-links)" unless ARCHIVE.match?(path)
          raise LeftToTool, "#{place.path} comes from outside of the project" unless Package::Name.inside?(path)

          "file:#{path}"
        end
      end
    end
  end
end
