# frozen_string_literal: true

module Spate
  module Boot
    class Recording
      # What one boot loaded, left for the builder: a small file beside the recording, so that boots neither wait for
      # each other nor read what others left.
      module Drop
        # After the kind, where the program went on.
        PART = "\tpart"
        # More than these wait for a builder that never came: the oldest say nothing new.
        KEPT = 32

        module_function

        # kind: e.g. "rails server"; paths: in load order; whole: see Recording#with.
        def leave(recording_path, kind, paths, whole: true)
          temporary = "#{recording_path.delete_suffix(".recording")}.#{Process.pid}-#{Random.urandom(8).unpack1("H*")}"
          lines = [kind.tr("\t\n", "  ") + (whole ? "" : PART), *paths].map(&:b).reject { |line| line.include?("\n") }
          File.binwrite(temporary, lines.join("\n"), perm: 0o600)
          File.rename(temporary, "#{temporary}.boot")
        rescue SystemCallError
          File.unlink(temporary) if File.exist?(temporary)
          raise
        end

        # Whether a boot left something since: while a builder worked, its own gave up.
        def waiting?(recording_path) = files(recording_path).any?

        # Whether as many wait as are of use.
        def full?(recording_path) = files(recording_path).size >= KEPT

        # Adds what boots left to the recording, and removes it. Answers the new recording, saved.
        def collect(recording_path)
          recording = Recording.load(recording_path)
          drops = files(recording_path).sort_by { |path| File.mtime(path) }
          drops.last(KEPT).each do |path|
            kind, *paths = File.binread(path).split("\n").map { |line| line.force_encoding(Encoding::UTF_8) }
            next if paths.empty?

            recording = recording.with(kind.scrub.delete_suffix(PART), paths, time: File.mtime(path),
                                                                              whole: !kind.end_with?(PART))
          end
          recording.save(recording_path) if drops.any?
          drops.each { |path| File.unlink(path) }
          recording
        rescue Errno::ENOENT
          retry # another process removed one
        end

        def files(recording_path) = Dir.glob("#{recording_path.delete_suffix(".recording")}.*.boot")
        private_class_method :files
      end
    end
  end
end
