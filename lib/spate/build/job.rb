# frozen_string_literal: true

module Spate
  module Build
    # One build to run.
    #
    # package:: responds to name and full_name
    # gem_dir, extension_dir:: absolute
    # spec_path, specification:: the gemspec's path, or its text in Ruby
    # archive_sha256:: hex
    # arguments:: [String] of build.NAME
    # loaded:: the gem's require paths, absolute
    # needed:: full names of all direct and indirect dependencies
    # checkout:: the folder of the repository that contains the gem, or nil
    # keep:: whether extension_dir has files of another gem of the same checkout, which must be kept
    # signers:: of the builds that it sees, as in Cache::Record; nil for none
    # again:: whether to look for a stored build again first
    Job = Struct.new(:package, :gem_dir, :extension_dir, :key, :spec_path, :specification, :archive_sha256, :arguments,
                     :loaded, :needed, :checkout, :keep, :signers, :again, keyword_init: true) do
      # The previous content of these folders is in the key; files written there by the build are its result.
      def own_paths = [checkout || gem_dir, extension_dir]

      # Whether running programs read a file of the build. cargo's whole target folder is in the extension's folder, and
      # only its Ruby files are loaded. Names may be any bytes.
      def reads?(path)
        !self.class::LEFTOVER.match?(path.b) &&
          (path.end_with?(".rb") || path.start_with?(*loaded.map { |folder| "#{folder}/" }))
      end
    end

    # Files left by a build and not read by running programs: logs, makefiles, objects. They contain the path of the
    # folder they were made in, even if Bundler copies them from one bundle to another.
    Job::LEFTOVER = %r{(?:\.(?:o|a|la|lo|d|pc|log|time|mk)|/gem_make\.out|/Makefile)\z}

    # A successful build. key: hex. seconds: its duration. stored: Cache::Entry, nil if no store could store it. cached:
    # whether another process has built it meanwhile.
    Result = Struct.new(:key, :seconds, :stored, :cached, keyword_init: true) do
      def manifest = stored&.manifest
      alias_method :cached?, :cached
    end
  end
end
