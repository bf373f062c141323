# frozen_string_literal: true

module Spate
  module Images
    class Builder
      # The small image over the application's: its own files, and files of gems that have changed since that was made.
      # Written whole as soon as the current version of one of them is missing; valid blobs are copied.
      class Overlay
        # application: ApplicationImage
        def initialize(images, location, application)
          @images = images
          @location = location
          @application = application
        end

        # Compiler::Job, nil if the overlay is current.
        def job
          files = @application.own_files + @application.left_out
          return if files.all? { |file| old.fits?(file) } && (old.paths - files).empty?

          about = ImageFile.describe("overlay", root: @location.root, gemfile: @location.gemfile,
                                                signers: old.signers + @application.old.signers)
          Compiler::Job.new(path: path, key: @images.ruby_key, files: files, data: { "about" => about },
                            sources: [path, @application.old.path], required: old.usable?)
        end

        private

        def path = @images.overlay_path(@location)
        def old = @old ||= ImageFile.new(path, @images.ruby_key)
      end
    end
  end
end
