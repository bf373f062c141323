# frozen_string_literal: true

module Spate
  module Boot
    module Background
      # Writes the list of files that one boot loaded to a small file beside the recording. Each boot writes a separate
      # file, so boots need no lock. CompileCache::Recording merges the files.
      module LoadedFiles
        # Appended to the kind if the program may load more files.
        PART = "\tpart"
        # The maximum number of unmerged files. If no builder merges them, the oldest are dropped.
        KEPT = 32

        module_function

        # kind: e.g. "rails server"; paths: in load order; whole: see CompileCache::Recording#with.
        def write(recording_path, kind, paths, whole: true)
          lines = [kind.tr("\t\n", "  ") + (whole ? "" : PART), *paths].map(&:b).reject { |line| line.include?("\n") }
          name = Util::Files.beside(recording_path.delete_suffix(".recording"))
          Util::Files.write("#{name}.boot", lines.join("\n"), permissions: 0o600)
        end

        # [kind, paths, whole]; nil for a file without paths.
        def read(path)
          kind, *paths = File.binread(path).split("\n").map { |line| line.force_encoding(Encoding::UTF_8) }
          [kind.scrub.delete_suffix(PART), paths, !kind.end_with?(PART)] if paths.any?
        end

        # Whether the number of unmerged files has reached the maximum.
        def full?(recording_path) = all(recording_path).size >= KEPT

        # Paths of the unmerged files.
        def all(recording_path) = Dir.glob("#{recording_path.delete_suffix(".recording")}.*.boot")
      end
    end
  end
end
