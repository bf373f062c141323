# frozen_string_literal: true

module Spate
  module Build
    # One build to run.
    #
    # package:: responds to name and full_name
    # gem_dir, extension_dir:: absolute
    # spec_path, specification:: the gemspec's path, or its text in Ruby
    # archive_sha256:: hex
    # arguments:: [String] from build.NAME
    # loaded:: the gem's require paths, absolute
    # needed:: full names of all direct and indirect dependencies
    # checkout:: the folder of the repository that contains the gem, or nil
    # keep:: whether extension_dir has files of another gem from the same checkout, which must be kept
    # signers:: signers of the builds that this build reads, as in Cache::Record; nil if there are none
    # again:: whether to look for a stored build again first
    Job = Struct.new(:package, :gem_dir, :extension_dir, :key, :spec_path, :specification, :archive_sha256, :arguments,
                     :loaded, :needed, :checkout, :keep, :signers, :again, keyword_init: true) do
      # Folders whose previous content is in the key; files that the build writes there are its result.
      def own_paths = [checkout || gem_dir, extension_dir]

      # Whether running programs read a file of the build. cargo's whole target folder is in the extension's folder, and
      # programs load only its Ruby files. Names may be any bytes.
      def reads?(path)
        !self.class::LEFTOVER.match?(path.b) &&
          (path.end_with?(".rb") || path.start_with?(*loaded.map { |folder| "#{folder}/" }))
      end
    end

    # Files that a build leaves but running programs do not read: logs, makefiles, objects. They contain the path of the
    # folder they were created in, even if Bundler copies them to another bundle.
    Job::LEFTOVER = %r{(?:\.(?:o|a|la|lo|d|pc|log|time|mk)|/gem_make\.out|/Makefile)\z}

    # A successful build. key: hex. seconds: its duration. stored: Cache::Entry; nil if no store accepted it. cached:
    # whether another process has built it in the meantime.
    Result = Struct.new(:key, :seconds, :stored, :cached, keyword_init: true) do
      def manifest = stored&.manifest
      alias_method :cached?, :cached
    end
  end
end
