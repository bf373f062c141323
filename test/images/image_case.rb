# frozen_string_literal: true

require "test_helper"
require "spate/native/boot"
require "open3"

module Spate
  module Images
    # A store for each test, gems of a few files, and child processes that load them through Native::Loader.
    class ImageCase < Minitest::Test
      LIBRARY = File.expand_path("../../lib", __dir__)
      # Loads the files named on its command line. Prints the Loader's records by file name.
      LOAD = <<~'RUBY'
        require "spate/native/boot"
        key, overlay, image, gem_images, *files = Marshal.load($stdin.binmode)
        loader = Spate::Native::Loader
        loader.key = key
        loader.gem_images = gem_images
        loader.install
        [overlay, image].compact.each { |path| loader.add(Spate::Native::Image.open(path, key: key)) }
        loader.recording = true
        files.each { |file| require file }
        puts loader.recorded.map { |path, outcome| "#{File.basename(path)} #{outcome}" }
      RUBY

      def images = @images ||= Boot::ImageFolder.new("#{folder}/store")
      def location = @location ||= Gemfile::Location.new(nil, nil, "#{folder}/app")
      def key = images.ruby_key

      # {"lib/alpha.rb" => source}; returns the gem's folder.
      def gem_with(name, files)
        files.each { |path, source| write("gems/#{name}/#{path}", source) }
        sleep 0.03 # the compiler would wait for younger files
        "#{folder}/gems/#{name}"
      end

      def app_file(path, source) = write("app/#{path}", source)

      def gem_files(dir, ...) = GemFiles.new(dir, ...)

      # gems: folders; replay: bytes. Report. See Builder#build.
      def build(jobs: 2, gems: nil, replay: nil, **facts)
        FileUtils.mkdir_p(location.root)
        facts[:gems] = gems&.map { |dir| GemFiles.new(dir) }
        facts[:replays] = [Gemfile::Setup::Record.new(replay)] if replay
        Builder.new(images: images, jobs: jobs, events: events).build(location: location, **facts)
      end

      def events
        @events ||= Events.new.subscribe { |event| (@warned ||= []) << event[:message] if event[:event] == :warning }
      end

      def image(path) = Native::Image.open(path, key: key)
      def gem_image(dir) = image(images.gem_path(dir, gem_files(dir).fingerprint))
      def application_path = images.application_path(location)
      def overlay_path = images.overlay_path(location)

      # Lines of output: of the files, then the loader's record of each.
      def load_files(*files, options: [])
        gem_images = ImageFile.new(application_path, key).gem_images
        paths = [overlay_path, application_path].map { |path| path if File.exist?(path) }
        given = Marshal.dump([key, *paths, gem_images, *files])
        out, status = Open3.capture2e("ruby", "--disable-gems", *options, "-I#{LIBRARY}", "-e", LOAD,
                                      stdin_data: given, binmode: true)
        assert_predicate status, :success?, out
        out.lines(chomp: true)
      end
    end
  end
end
