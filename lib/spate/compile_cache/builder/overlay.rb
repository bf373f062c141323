# frozen_string_literal: true

module Spate
  module CompileCache
    class Builder
      # The small compile cache on top of the application's: the application's own files, and gem files that have
      # changed since the application's cache was built. Rewritten as soon as the current version of one of these files
      # is missing; valid blobs are copied.
      class Overlay
        # application: ApplicationCache
        def initialize(caches, location, application)
          @caches = caches
          @location = location
          @application = application
        end

        # Compiler::Job, nil if the overlay is current.
        def job
          files = @application.own_files + @application.left_out
          return if files.all? { |file| old.fits?(file) } && (old.paths - files).empty?

          about = CacheFile.describe("overlay", root: @location.root, gemfile: @location.gemfile,
                                                signers: old.signers + @application.old.signers)
          Compiler::Job.new(path: path, key: @caches.ruby_key, files: files, data: { "about" => about },
                            sources: [path, @application.old.path], required: old.usable?)
        end

        private

        def path = @caches.overlay_path(@location)
        def old = @old ||= CacheFile.new(path, @caches.ruby_key)
      end
    end
  end
end
