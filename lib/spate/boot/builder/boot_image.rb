# frozen_string_literal: true

module Spate
  module Boot
    class Builder
      # The image of an application: index, stand-in, which gems have which image, and the blobs of what the last boots
      # loaded, in load order. Made again where one of the first three is new, or where more files than an overlay
      # should carry are not in it as they are now.
      class BootImage
        # Files that the overlay takes before all is put in order again.
        APART = 200

        # 32 hex digits: equal while Gemfile, lockfile and the application's settings have the same content.
        def self.bundle(location)
          files = [location.gemfile, location.lockfile, "#{location.root}/.bundle/config"].compact
          Native.content_hash(nil, files.map { |path| Native.content_hash(path).to_s }.join("\n"))
        end

        # See Builder#build; bundles: {gem folder => path of its image}, nil for those that the image has.
        def initialize(images, location, recorded: [], folders: [], own: nil, index: nil, standin: nil, others: [],
                       bundles: nil)
          @images = images
          @location = location
          @recorded = recorded.select { |file| Native.stat(file) }
          @folders = folders
          @given_own = own
          @index = index
          @standin = standin
          @others = others
          @given = bundles
        end

        # Compiler::Job, nil where the image stays as it is.
        def job
          return unless needed?

          Compiler::Job.new(path: path, key: @images.ruby_key, files: files, data: data, sources: sources,
                            required: true)
        end

        # Whether the image is of the bundle as it is now.
        def current? = old.usable? && old.about["bundle"] == BootImage.bundle(@location)

        # Whether its index was made with these folders beside the bundle's.
        def folders? = old.about["folders"] == folders_print

        # Recorded files that belong to the application itself, or to gems that are worked on.
        def own_files = @own_files ||= @recorded.select { |file| own?(file) }

        # Recorded files that the image has not as they are, where it stays; none where it is made again.
        def apart = needed? ? [] : changed

        def old = @old ||= ImageFile.new(path, @images.ruby_key)

        private

        def needed?
          return @needed if defined?(@needed)

          @needed = !old.usable? || !@index.nil? || !@standin.nil? || !@given.nil? || changed.size > APART
        end

        def folders_print = Native.content_hash(nil, @folders.sort.join("\n"))
        def path = @images.boot_path(@location.root, @location.gemfile)
        def files = @recorded - own_files
        def changed = @changed ||= files.reject { |file| old.fits?(file) }
        def bundles = @bundles ||= @given || old.bundles
        def own = @own ||= @given_own || old.data("own").to_s.dup.force_encoding(Encoding::UTF_8).lines(chomp: true)

        def data
          { "about" => about, "index" => @index || old.data("index"), **standins,
            "bundles" => bundles.map { |dir, image| "#{dir}\t#{image}\n" }.join,
            "own" => own.map { |dir| "#{dir}\n" }.join }.compact
        end

        def standins
          return Standin::Records.named(@standin, @others) if @standin

          Standin::Records::NAMES.to_h { |name| [name, old.data(name)] }
        end

        def about
          bundle = @given ? BootImage.bundle(@location) : old.about["bundle"]
          ImageFile.describe("boot", root: @location.root, gemfile: @location.gemfile, lockfile: @location.lockfile,
                                     bundle: bundle, folders: @index ? folders_print : old.about["folders"])
        end

        # What is loaded first is asked of the fuller image.
        def sources
          [path, @images.overlay_path(@location.root, @location.gemfile), *bundles.values]
        end

        def own?(file)
          return true if own.any? { |dir| file.start_with?("#{dir}/") }

          file.start_with?("#{@location.root}/") && !of_gem?(file)
        end

        def of_gem?(file)
          while (length = file.rindex("/")) && length > @location.root.length
            return true if bundles.key?(file = file[0, length])
          end
          false
        end
      end
    end
  end
end
