# frozen_string_literal: true

require "test_helper"
require "spate/native/boot"
require "spate/boot/room"
require "open3"

module Spate
  module Boot
    # A store of the test's own, gems of a few files in it, and children that load them through Native::Loader.
    class ImageCase < Minitest::Test
      LIBRARY = File.expand_path("../../lib", __dir__)
      # Loads the files named on its command line. On stdout: what Loader recorded, by file name.
      LOAD = <<~'RUBY'
        require "spate/native/boot"
        key, overlay, boot, bundles, *files = Marshal.load($stdin.binmode)
        loader = Spate::Native::Loader
        loader.key = key
        loader.bundles = bundles
        loader.install
        [overlay, boot].compact.each { |path| loader.add(Spate::Native::Image.open(path, key: key)) }
        loader.recording = true
        files.each { |file| require file }
        puts loader.recorded.map { |path, outcome| "#{File.basename(path)} #{outcome}" }
      RUBY

      def images = @images ||= Images.new("#{folder}/store")
      def location = @location ||= Gemfile::Location.new(nil, nil, "#{folder}/app")
      def key = images.ruby_key

      # {"lib/alpha.rb" => source}; answers the gem's folder.
      def gem_with(name, files)
        files.each { |path, source| write("gems/#{name}/#{path}", source) }
        sleep 0.03 # younger files would be waited for
        "#{folder}/gems/#{name}"
      end

      def app_file(path, source) = write("app/#{path}", source)

      def bundle(dir, ...) = GemBundle.new(dir, ...)

      # Report. See Builder#build.
      def build(jobs: 2, **facts)
        FileUtils.mkdir_p(location.root)
        Builder.new(images: images, jobs: jobs, events: events).build(location: location, **facts)
      end

      def events
        @events ||= Events.new.subscribe { |event| (@warned ||= []) << event[:message] if event[:event] == :warning }
      end

      def image(path) = Native::Image.open(path, key: key)
      def gem_image(dir) = image(images.gem_path(dir, bundle(dir).fingerprint))
      def boot_path = images.boot_path(location.root, location.gemfile)
      def overlay_path = images.overlay_path(location.root, location.gemfile)

      # Lines of output: what the files print, then what the loader recorded of each.
      def load_files(*files, options: [])
        bundles = File.exist?(boot_path) ? Builder::ImageFile.new(boot_path, key).bundles : {}
        paths = [overlay_path, boot_path].map { |path| path if File.exist?(path) }
        given = Marshal.dump([key, *paths, bundles, *files])
        out, status = Open3.capture2e("ruby", "--disable-gems", *options, "-I#{LIBRARY}", "-e", LOAD,
                                      stdin_data: given, binmode: true)
        assert_predicate status, :success?, out
        out.lines(chomp: true)
      end
    end
  end
end
