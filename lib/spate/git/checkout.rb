# frozen_string_literal: true

module Spate
  module Git
    # The checkout of a git source.
    #
    # path::     folder of the checkout, ".../bundler/gems/rack-0123456789ab"
    # gemspecs:: Array of Gemspec, one per gem
    # made::     whether this run created it (it was missing or incomplete)
    Checkout = Struct.new(:path, :gemspecs, :made) do
      # The name of the folder, and of the folder for its native extensions.
      def name = File.basename(path)

      # Gemspec of a gem in the checkout, or nil.
      def gemspec(gem_name) = gemspecs.find { |gemspec| gemspec.name == gem_name }
    end

    # Identifies a checkout by its content, because a patched copy in vendor/cache may differ from its revision.
    class Tree
      # Older RubyGems versions write the date of the evaluation to a gemspec.
      DATE = /^  s\.date = "[\d-]+"\n/
      def initialize(folder)
        @folder = folder
      end

      # SHA-256 (hex) of all names, modes and contents, without absolute paths.
      def identity = Store.sha256(lines("").sort.join)

      private

      def lines(below)
        Dir.children(@folder + below).flat_map do |name|
          next [] if name == ".git"

          path = "#{below}/#{name}"
          stat = File.lstat(@folder + path)
          stat.directory? ? lines(path) : ["#{path.dump} #{stat.mode.to_s(8)} #{content(@folder + path, stat)}\n"]
        end
      end

      def content(path, stat)
        return File.readlink(path).dump if stat.symlink?

        stat.file? ? Store.sha256(text(path)) : stat.ftype
      end

      def text(path)
        text = File.binread(path)
        path.end_with?(".gemspec") && text.match?(Gemspecs::EVALUATED) ? text.sub(DATE, "") : text
      end
    end
  end
end
