# frozen_string_literal: true

require_relative "../version"

module Spate
  module Boot
    # Where the images of this Ruby lie, and whether they may be used. Core Ruby only: part of every boot.
    #
    #   <store root>/images/<ruby key>/gems/<key>.image   one gem at one path
    #                                  boots/<key>.image  one application; beside it .recording, .lock and .boot files
    #                                  apps/<key>.image   its overlay
    class Images
      FOLDERS = %w[gems boots apps].freeze
      DAY = 24 * 60 * 60
      # Attempts to make a folder while others remove the ones above it; some folders, as /proc, take none at all.
      TRIES = 3

      # Notes that an image is in use, for Tidy: its mtime, once a day at most. Answers false where that cannot be.
      def self.touch(path, now: Time.now)
        return true if now - File.mtime(path) < DAY

        File.utime(now, now, path)
        true
      rescue SystemCallError
        false
      end

      # store_root: the store's folder, e.g. "~/.cache/spate/store/v1", whether it exists or not.
      def initialize(store_root, ruby_key = RubyKey.current)
        @store_root = store_root
        @ruby_key = ruby_key
        @folder = "#{store_root}/images/#{ruby_key}"
      end

      attr_reader :store_root, :ruby_key, :folder

      # The image of a gem whose files are as the fingerprint says.
      def gem_path(gem_dir, fingerprint) = "#{folder}/gems/#{key("gem", gem_dir, fingerprint)}.image"
      def boot_path(root, gemfile) = "#{folder}/boots/#{application(root, gemfile)}.image"
      def overlay_path(root, gemfile) = "#{folder}/apps/#{application(root, gemfile)}.image"
      # What the last boots loaded, and the lock of whoever builds for the application.
      def recording_path(root, gemfile) = "#{folder}/boots/#{application(root, gemfile)}.recording"
      def lock_path(root, gemfile) = "#{folder}/boots/#{application(root, gemfile)}.lock"

      # Whether nobody else can have put images there, or can put a link on the way; see refusal. A folder that does not
      # exist is usable, and with SPATE_TRUST_STORE=1 whatever is there.
      def usable_folder? = refusal.nil?

      # Why the folder is not used ("/x/images can be written by others"), nil where it may be.
      def refusal
        return @refusal if defined?(@refusal)

        @refusal = nil
        return if ENV["SPATE_TRUST_STORE"] == "1"

        FOLDERS.each { |name| break if (@refusal = distrust("#{folder}/#{name}")) }
        @refusal
      end

      # Whether this process may add images.
      def writable?(env = ENV)
        return false unless [nil, "", "0", "false"].include?(env["SPATE_READONLY"])
        return false unless usable_folder?

        path = folder
        path = File.dirname(path) until File.exist?(path)
        File.writable?(path)
      end

      # Makes the folders, for their owner alone to write. Raises SystemCallError.
      def make
        make_folder(folder)
        FOLDERS.each { |name| make_folder("#{folder}/#{name}") }
      end

      private

      # What an image says of a bundle is read by the Spate that wrote it.
      def application(root, gemfile) = key("application", VERSION, root, gemfile)

      def key(*parts) = Native.content_hash(nil, parts.join("\0"))

      def distrust(path)
        reason, culprit, owner, mode = Native.distrust(path, false, false)
        case reason
        when :owner then "#{culprit} belongs to user #{owner}"
        when :group, :others then "#{culprit} can be written by others (mode #{mode.to_s(8)})"
        when :folder then "#{culprit} is no folder"
        when :search then "#{culprit} cannot be searched"
        end
      end

      def make_folder(path)
        Dir.mkdir(path, 0o755)
      rescue Errno::EEXIST
        nil
      rescue Errno::ENOENT
        raise if (tries = tries.to_i + 1) > TRIES

        make_folder(File.dirname(path))
        retry
      end
    end
  end
end
