# frozen_string_literal: true

module Spate
  module Images
    class Prune
      # The images of one Ruby, in sets that are used or not: an application's image and the files beside it; a gem's
      # image. A gem's image is used as long as the image of an application that refers to it.
      class Inventory
        NAME = /\A(\h{32})\.(?:(?:yaml\.)?image|recording|lock|log|heap|bootlog|attempts)\z/
        GONE = Time.at(0)

        # paths: of its files; used: Time of its last use; alive: whether the application or gem still exists.
        Entry = Struct.new(:paths, :used, :alive, :bytes) do
          def alive? = alive
        end

        # folder: of one Ruby, named by its key.
        def initialize(folder)
          @folder = folder
          @key = File.basename(folder)
        end

        # [Entry]
        def sets = @sets ||= applications + gems

        # Temporary files, and files of boots that no builder collected.
        def strays
          [@folder, *%w[gems boots apps].map { |name| "#{@folder}/#{name}" }].flat_map do |folder|
            files(folder).reject { |path| NAME.match?(File.basename(path)) || path.end_with?("/.lock") }
          end
        end

        private

        def applications
          grouped = (whole("boots") + whole("apps")).group_by { |path| File.basename(path)[NAME, 1] }
          @named = Hash.new(GONE)
          grouped.map { |key, paths| application("#{@folder}/boots/#{key}.image", paths) }
        end

        def application(path, paths)
          image = ImageFile.new(path, @key)
          used = paths.map { |file| time(file) }.max
          alive = present?(image.about)
          image.gem_images.each_value { |gem| @named[gem] = [@named[gem], used].max } if alive
          Entry.new(paths, used, alive, bytes(paths))
        end

        # An application that has no image yet has a recording, whose time decides.
        def present?(about)
          place = about["gemfile"] || about["root"]
          place ? File.exist?(place) : false
        end

        def gems
          applications unless @named
          whole("gems").map do |path|
            named = @named.key?(path)
            Entry.new([path], [@named[path], time(path)].max, named, bytes([path]))
          end
        end

        def whole(name) = files("#{@folder}/#{name}").select { |path| NAME.match?(File.basename(path)) }

        def files(folder)
          Dir.children(folder).sort.map { |name| "#{folder}/#{name}" }.select { |path| File.lstat(path).file? }
        rescue SystemCallError
          []
        end

        def bytes(paths) = paths.sum { |path| File.lstat(path).size }

        def time(path)
          File.lstat(path).mtime
        rescue Errno::ENOENT
          GONE
        end
      end
    end
  end
end
