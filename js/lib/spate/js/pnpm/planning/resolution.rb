# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      class Planning
        # Parses a lockfile's `resolution`, the source of a package's files.
        module Resolution
          module_function

          # Package. snapshot: Lockfile::Snapshot. Raises LeftToTool if it is not an archive, LockfileError.
          def package(snapshot, path)
            found = snapshot.entry["resolution"]
            raise LockfileError, "#{path}: #{snapshot.key}: expected a resolution" unless found.is_a?(Hash)

            reason = foreign(found)
            raise LeftToTool, ["#{snapshot.key} (#{reason})"] if reason

            Package.new(name: snapshot.name, version: version(snapshot), resolved: found["tarball"],
                        integrity: integrity(found, snapshot, path))
          end

          # The reason to leave it to pnpm, or nil.
          def foreign(found)
            case found["type"]
            when nil then nil
            when "directory" then return "files of the folder #{found["directory"]}"
            else return "resolution of the type #{found["type"]}"
            end
            return "built from a git repository" if found["gitHosted"] || hosted?(found["tarball"].to_s)

            "a folder of an archive" if found["path"]
          end

          # Archives of repositories, which pnpm prepares as npm would before publishing.
          def hosted?(address)
            address.match?(%r{\Ahttps://(?:codeload\.github\.com/|bitbucket\.org/[^/]+/[^/]+/get/|gitlab\.com/.*archive)})
          end

          def integrity(found, snapshot, path)
            text = found["integrity"]
            Package::Integrity.parse(text) or
              raise LockfileError, "#{path}: #{snapshot.key}: unsupported integrity #{text.inspect}"
          end

          def version(snapshot)
            (snapshot.entry["version"] || (snapshot.version unless snapshot.version.match?(%r{[/:]})))&.to_s
          end
        end
      end
    end
  end
end
