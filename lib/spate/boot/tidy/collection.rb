# frozen_string_literal: true

module Spate
  module Boot
    class Tidy
      # The images of one Ruby, as sets that are used or not: an application's image, overlay and recording; a gem's
      # image. A gem's is used when an application's is that names it.
      class Collection
        NAME = /\A(\h{32})\.(?:(?:yaml\.)?image|recording|lock|log|heap|journal|attempts)\z/
        GONE = Time.at(0)

        # paths: of its files; used: Time of its last use; alive: whether what it is of is still there.
        Unit = Struct.new(:paths, :used, :alive, :bytes) do
          def alive? = alive
        end

        # folder: of one Ruby, named by its key.
        def initialize(folder)
          @folder = folder
          @key = File.basename(folder)
        end

        # [Unit]
        def sets = @sets ||= applications + gems

        # Files that are nothing whole: temporary ones, and what boots left for a builder that never came.
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
          image = open(path)
          used = paths.map { |file| time(file) }.max
          about = facts(image, "about")
          alive = present?(about)
          facts(image, "bundles").each_value { |gem| @named[gem] = [@named[gem], used].max } if alive
          Unit.new(paths, used, alive, bytes(paths))
        end

        # An application without image yet has a recording alone: its time decides.
        def present?(about)
          place = about["gemfile"] || about["root"]
          place ? File.exist?(place) : false
        end

        def gems
          applications unless @named
          whole("gems").map do |path|
            named = @named.key?(path)
            Unit.new([path], [@named[path], time(path)].max, named, bytes([path]))
          end
        end

        def facts(image, name) = Builder::ImageFile.lines(image&.data(name))

        def open(path)
          Native::Image.open(path, key: @key)
        rescue Native::Image::Unusable
          nil
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
