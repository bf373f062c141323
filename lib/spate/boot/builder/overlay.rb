# frozen_string_literal: true

module Spate
  module Boot
    class Builder
      # The small image over the application's: its own files, and files of gems that changed since that was made.
      # Written whole when one of them is not in it as it is now; blobs that still fit are copied.
      class Overlay
        # boot: BootImage
        def initialize(images, location, boot)
          @images = images
          @location = location
          @boot = boot
        end

        # Compiler::Job, nil where the overlay stays as it is.
        def job
          files = @boot.own_files + @boot.apart
          return if files.all? { |file| old.fits?(file) } && (old.paths - files).empty?

          about = ImageFile.describe("overlay", root: @location.root, gemfile: @location.gemfile)
          Compiler::Job.new(path: path, key: @images.ruby_key, files: files, data: { "about" => about },
                            sources: [path, @boot.old.path], required: old.usable?)
        end

        private

        def path = @images.overlay_path(@location.root, @location.gemfile)
        def old = @old ||= ImageFile.new(path, @images.ruby_key)
      end
    end
  end
end
