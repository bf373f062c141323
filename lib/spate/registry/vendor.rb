# frozen_string_literal: true

module Spate
  module Registry
    # Archives that are already on this machine: the application's own (vendor/cache, or the setting cache_path), and
    # those in other tools' folders. The application's are used and checked like any download; the others only if they
    # match a checksum in the lockfile.
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

      # Path of a package's archive, or nil. The archive for platform "ruby" does not replace another platform's,
      # because it has files to compile.
      def find(package)
        path = File.join(@folder, "#{package.full_name}.gem")
        File.file?(path) ? path : elsewhere(package)
      end

      # The variants of a gem in that folder, in the form of Client#versions: Array of Index::Info without requirements.
      def versions(name)
        form = /\A#{Regexp.escape(name)}-(\d[0-9A-Za-z.]*)(?:-(.+))?\.gem\z/
        Dir.children(@folder).sort.filter_map { |file| Index::Info.new($1, $2 || "ruby", {}, [], []) if form =~ file }
      rescue Errno::ENOENT, Errno::ENOTDIR
        []
      end

      # The folder "vendor/cache/<base>-<sha, 12>" of a git source; nil if there is none.
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
