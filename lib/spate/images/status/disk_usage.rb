# frozen_string_literal: true

module Spate
  module Images
    class Status
      # Disk usage of the images, by Ruby.
      class DiskUsage
        def initialize(images)
          @images = images
          @folder = "#{images.store_root}/images"
        end

        # [{ruby_key:, this_ruby:, applications:, gems:, bytes:}]; "own" is Spate's own code.
        def to_a
          Dir.children(@folder).grep(/\A(\h{32}|own)\z/).sort.map do |name|
            files = Dir.glob("#{@folder}/#{name}/**/*").select { |path| File.file?(path) }
            { ruby_key: name, this_ruby: name == @images.ruby_key, applications: count(files, "boots"),
              gems: count(files, "gems"), bytes: files.sum { |path| File.size?(path).to_i } }
          end
        rescue SystemCallError
          []
        end

        private

        def count(files, kind) = files.count { |path| path.end_with?(".image") && path.include?("/#{kind}/") }
      end
    end
  end
end
