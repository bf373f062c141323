# frozen_string_literal: true

module Spate
  module Build
    # One build to run.
    #
    # package:: answers name and full_name
    # gem_dir, extension_dir:: absolute
    # spec_path, specification:: the gemspec's path, or its text in Ruby
    # archive_sha256:: hex
    # arguments:: [String] of build.NAME
    # loaded:: the gem's require paths, absolute
    # needed:: full names of the gems that it depends on, directly or not
    # checkout:: the folder of the repository that the gem lies in, or nil
    # keep:: whether extension_dir holds files of another gem of the same checkout, which stay
    # signers:: of the builds that it sees, as in Cache::Record; nil for none
    # again:: whether to look for a stored build once more first
    Job = Struct.new(:package, :gem_dir, :extension_dir, :key, :spec_path, :specification, :archive_sha256, :arguments,
                     :loaded, :needed, :checkout, :keep, :signers, :again, keyword_init: true) do
      # What is there beforehand is in the key; what the build makes there is its result.
      def own_paths = [checkout || gem_dir, extension_dir]

      # Whether running programs read a file that it made. cargo's whole target folder lies in the extension's, and only
      # its Ruby files are loaded. Names may be any bytes.
      def reads?(path)
        !self.class::LEFTOVER.match?(path.b) &&
          (path.end_with?(".rb") || path.start_with?(*loaded.map { |folder| "#{folder}/" }))
      end
    end

    # Left behind by a build and not read by running programs: logs, makefiles, objects. They name the folder they were
    # made in, also when Bundler copies them from one bundle to another.
    Job::LEFTOVER = %r{(?:\.(?:o|a|la|lo|d|pc|log|time|mk)|/gem_make\.out|/Makefile)\z}

    # A build that succeeded. key: hex. seconds: how long it took. stored: Cache::Entry, nil where no store could keep
    # it. cached: whether another process has built it meanwhile.
    Result = Struct.new(:key, :seconds, :stored, :cached, keyword_init: true) do
      def manifest = stored&.manifest
      alias_method :cached?, :cached
    end
  end
end
