# frozen_string_literal: true

module Spate
  module Boot
    module Background
      # The files that one boot loaded, for the builder: a small file beside the recording, so that boots neither wait
      # for each other nor read others' files. CompileCache::Recording collects them.
      module LoadedFiles
        # Appended to the kind if the program continued after the boot.
        PART = "\tpart"
        # The maximum number of waiting files: if there are more, no builder runs, and the oldest are dropped.
        KEPT = 32

        module_function

        # kind: e.g. "rails server"; paths: in load order; whole: see CompileCache::Recording#with.
        def leave(recording_path, kind, paths, whole: true)
          lines = [kind.tr("\t\n", "  ") + (whole ? "" : PART), *paths].map(&:b).reject { |line| line.include?("\n") }
          name = Util::Files.beside(recording_path.delete_suffix(".recording"))
          Util::Files.write("#{name}.boot", lines.join("\n"), permissions: 0o600)
        end

        # [kind, paths, whole]; nil for a file without paths.
        def read(path)
          kind, *paths = File.binread(path).split("\n").map { |line| line.force_encoding(Encoding::UTF_8) }
          [kind.scrub.delete_suffix(PART), paths, !kind.end_with?(PART)] if paths.any?
        end

        # Whether the maximum number of files is waiting.
        def full?(recording_path) = all(recording_path).size >= KEPT

        # Paths of the waiting files.
        def all(recording_path) = Dir.glob("#{recording_path.delete_suffix(".recording")}.*.boot")
      end
    end
  end
end
