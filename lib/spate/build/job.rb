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
    # again:: whether to look up a stored build again before building
    Job = Struct.new(:package, :gem_dir, :extension_dir, :key, :spec_path, :specification, :archive_sha256, :arguments,
                     :loaded, :needed, :checkout, :keep, :signers, :again, keyword_init: true) do
      # Folders whose previous content is part of the key. Files that the build writes there are its result.
      def own_paths = [checkout || gem_dir, extension_dir]

      # Whether programs read this file of the build at run time. Outside the require paths, only Ruby files are read;
      # cargo leaves its whole target folder in the extension's folder. Names may be any bytes.
      def reads?(path)
        !self.class::LEFTOVER.match?(path.b) &&
          (path.end_with?(".rb") || path.start_with?(*loaded.map { |folder| "#{folder}/" }))
      end
    end

    # Files that programs do not read at run time: logs, makefiles, objects. They may contain the path of the bundle,
    # which does not prevent other bundles from using the build.
    Job::LEFTOVER = %r{(?:\.(?:o|a|la|lo|d|pc|log|time|mk)|/gem_make\.out|/Makefile)\z}

    # A successful build. key: hex. seconds: its duration. stored: Cache::Entry, or nil if it could not be stored.
    # cached: whether another process had already built it.
    Result = Struct.new(:key, :seconds, :stored, :cached, keyword_init: true) do
      def manifest = stored&.manifest
      alias_method :cached?, :cached
    end
  end
end
