# frozen_string_literal: true

require "test_helper"
require "spate/native/boot"
require "open3"

module Spate
  module CompileCache
    # Gems with a few files, a store for each test, and child processes that load files through Native::Loader.
    class CompileCacheCase < Minitest::Test
      LIBRARY = File.expand_path("../../lib", __dir__)
      # Reads settings of the Loader and paths from standard input (Marshal), and requires these files. Prints the
      # Loader's result for each file name.
      LOAD = <<~'RUBY'
        require "spate/native/boot"
        key, overlay, cache, gem_caches, *files = Marshal.load($stdin.binmode)
        loader = Spate::Native::Loader
        loader.key = key
        loader.gem_caches = gem_caches
        loader.install
        [overlay, cache].compact.each { |path| loader.add(Spate::Native::CompileCache.open(path, key: key)) }
        loader.recording = true
        files.each { |file| require file }
        puts loader.recorded.map { |path, outcome| "#{File.basename(path)} #{outcome}" }
      RUBY

      def caches = @caches ||= Boot::CompileCacheFolder.new("#{folder}/store")
      def location = @location ||= Gemfile::Location.new(nil, nil, "#{folder}/app")
      def key = caches.ruby_key

      # files: {"lib/alpha.rb" => source}. Returns the gem's folder.
      def gem_with(name, files)
        files.each { |path, source| write("gems/#{name}/#{path}", source) }
        sleep 0.03 # the compiler waits for younger files
        "#{folder}/gems/#{name}"
      end

      def app_file(path, source) = write("app/#{path}", source)

      def gem_files(dir, ...) = GemFiles.new(dir, ...)

      # gems: folders; replay: bytes. Returns a Report. See Builder#build.
      def build(jobs: 2, gems: nil, replay: nil, **facts)
        FileUtils.mkdir_p(location.root)
        facts[:gems] = gems&.map { |dir| GemFiles.new(dir) }
        facts[:replays] = [Gemfile::Setup::Record.new(replay)] if replay
        Builder.new(caches: caches, jobs: jobs, events: events).build(location: location, **facts)
      end

      def events
        @events ||= Events.new.subscribe { |event| (@warned ||= []) << event[:message] if event[:event] == :warning }
      end

      def cache(path) = Native::CompileCache.open(path, key: key)
      def gem_cache(dir) = cache(caches.gem_path(dir, gem_files(dir).fingerprint))
      def application_path = caches.application_path(location)
      def overlay_path = caches.overlay_path(location)

      # The output lines of the files, then the loader's result for each file.
      def load_files(*files, options: [])
        gem_caches = CacheFile.new(application_path, key).gem_caches
        paths = [overlay_path, application_path].map { |path| path if File.exist?(path) }
        given = Marshal.dump([key, *paths, gem_caches, *files])
        out, status = Open3.capture2e("ruby", "--disable-gems", *options, "-I#{LIBRARY}", "-e", LOAD,
                                      stdin_data: given, binmode: true)
        assert_predicate status, :success?, out
        out.lines(chomp: true)
      end
    end
  end
end
