# frozen_string_literal: true

require_relative "../util"
require_relative "../version"

module Spate
  module Boot
    # The location of this Ruby's compile caches, and whether they may be used. Uses only core Ruby, because every boot
    # loads this file.
    #
    #   <store root>/compile-cache/<ruby key>/gems/<key>.compiled   one gem at one path
    #                                  boots/<key>.compiled  one application, with its other files beside it
    #                                  apps/<key>.compiled   its overlay, and .yaml
    #
    # location: responds to root and gemfile (Application, Gemfile::Location).
    class CompileCacheFolder
      FOLDERS = %w[gems boots apps].freeze
      DAY = 24 * 60 * 60

      class << self
        # @!visibility private

        # Returns the CompileCacheFolder of the store that `env` selects. Raises Util::NoHome.
        def of(env) = new(Util::StorePlace.root(Util::StorePlace.home(env)))

        # Sets the mtime of a compile cache, at most once a day, so that CompileCache::Prune keeps it. Returns false on
        # failure.
        def touch(path, now: Time.now)
          return true if now - File.mtime(path) < DAY

          File.utime(now, now, path)
          true
        rescue SystemCallError
          false
        end
      end

      # @param store_root [String] {Store#root}; need not exist
      # @param ruby_key [String] the name of a Ruby's folder
      def initialize(store_root, ruby_key = RubyKey.current)
        @store_root = store_root
        @ruby_key = ruby_key
        @folder = "#{store_root}/compile-cache/#{ruby_key}"
      end

      # @!visibility private

      # The arguments of `new`, and the absolute path of this Ruby's compile caches.
      attr_reader :store_root, :ruby_key, :folder

      # The path of the compile cache of a gem whose files have this fingerprint.
      def gem_path(gem_dir, fingerprint) = "#{folder}/gems/#{key("gem", gem_dir, fingerprint)}.compiled"
      def application_path(location) = beside(location, "compiled")
      def overlay_path(location) = "#{folder}/apps/#{application_key(location)}.compiled"
      def yaml_path(location) = "#{folder}/apps/#{application_key(location)}.yaml.compiled"
      # The recording of the files that the last boots loaded.
      def recording_path(location) = beside(location, "recording")
      # The file that the application's builder locks.
      def lock_path(location) = beside(location, "lock")
      # The times and counts of the last boots.
      def boot_log_path(location) = beside(location, "bootlog")
      # The log of the last builder.
      def log_path(location) = beside(location, "log")
      # See Background::Attempts.
      def attempts_path(location) = beside(location, "attempts")

      # Whether only this user and root can change the folder or a link in its path (see refusal). A missing folder is
      # usable, and with SPATE_TRUST_STORE=1 every folder is.
      def usable_folder? = refusal.nil?

      # Returns the reason why the folder is not used ("/x/compile-cache can be written by others"), or nil.
      def refusal
        return @refusal if defined?(@refusal)

        @refusal = nil
        FOLDERS.each { |name| break if (@refusal = distrust("#{folder}/#{name}")) }
        @refusal
      end

      # Whether this process may add compile caches.
      def writable?(env = ENV)
        return false if Switches.on?(env, "SPATE_READONLY") || !usable_folder?

        path = folder
        path = File.dirname(path) until File.exist?(path)
        File.writable?(path)
      end

      # Creates the folders, writable only by their owner. Raises SystemCallError.
      def make
        paths = [folder, *FOLDERS.map { |name| "#{folder}/#{name}" }].reject { |path| File.directory?(path) }
        paths.each { |path| Util::Files.make_folder(path, 0o755) }
      end

      private

      def beside(location, ending) = "#{folder}/boots/#{application_key(location)}.#{ending}"

      # The key includes Spate's version because a compile cache's record of a bundle is read only by the version that
      # wrote it.
      def application_key(location) = key("application", VERSION, location.root, location.gemfile)

      def key(*parts) = Native.content_hash(nil, parts.join("\0"))

      def distrust(path)
        reason, culprit, owner, mode = Util::StorePlace.distrust(path, ENV, group: false)
        case reason
        when :owner then "#{culprit} belongs to user #{owner}"
        when :group, :others then "#{culprit} can be written by others (mode #{mode.to_s(8)})"
        when :folder then "#{culprit} is not a folder"
        when :search then "#{culprit} cannot be searched"
        end
      end
    end
  end
end
