# frozen_string_literal: true

module Spate
  module Registry
    # Finds archives that are already on this machine, in the application's folder (vendor/cache, or the setting
    # cache_path) and in folders of other tools. The application's archives are checked like downloads. Others are used
    # only if they match a checksum in the lockfile.
    class Vendor
      DEFAULT = "vendor/cache"

      # root: the application's folder. others: e.g. RubyGems' cache folders.
      def self.for(settings:, root:, others: [])
        new(File.expand_path(settings[:cache_path] || DEFAULT, root), others: others)
      end

      attr_reader :folder

      def initialize(folder, others: [])
        @folder = folder
        @others = others
      end

      def any? = File.directory?(@folder)

      # The path of a package's archive, or nil. An archive for the platform "ruby" is not used for another platform,
      # because it may need to be compiled.
      def find(package)
        path = File.join(@folder, "#{package.full_name}.gem")
        File.file?(path) ? path : elsewhere(package)
      end

      # The variants of a gem in the application's folder, like Client#versions: [Index::Info] without requirements.
      def versions(name)
        form = /\A#{Regexp.escape(name)}-(\d[0-9A-Za-z.]*)(?:-(.+))?\.gem\z/
        Dir.children(@folder).sort.filter_map { |file| Index::Info.new($1, $2 || "ruby", {}, [], []) if form =~ file }
      rescue Errno::ENOENT, Errno::ENOTDIR
        []
      end

      # The folder "vendor/cache/<name>-<12 digits of the revision>" of a git source, or nil if it does not exist.
      def git(source)
        path = File.join(@folder, Git::Names.checkout(source.uri, source.revision))
        path if File.directory?(path)
      end

      private

      def elsewhere(package)
        return unless package.sha256

        @others.map { |folder| File.join(folder, "#{package.full_name}.gem") }
               .find { |path| File.file?(path) && Archive.sha256(path) == package.sha256 }
      end
    end
  end
end
