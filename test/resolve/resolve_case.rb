# frozen_string_literal: true

require "test_helper"
require "support/newest_bundler"
require "support/project"

# Compares Spate's changes of a bundle with those of the newest Bundler for this Ruby. Gemfile and lockfile must be
# equal byte by byte.
class ResolveCase < Minitest::Test
  MANIFESTS = %w[Gemfile Gemfile.lock].freeze

  def setup
    skip "no newer Bundler is in #{NewestBundler::HOME} (bin/setup)" unless NewestBundler.folder
    @source = GemSource.start
  end

  def teardown
    @source&.stop
    super
  end

  attr_reader :source

  # A project in a folder with this name. files: { path => text }, in addition to the Gemfile.
  def project(name, gemfile, lock: nil, files: {}, env: {})
    app = Spate::TestProject.new(File.join(folder, name, "app"), gemfile, home: File.join(folder, name, "home"),
                                                                          env: NewestBundler.environment.merge(env))
    files.merge("Gemfile.lock" => lock).compact.each do |path, text|
      FileUtils.mkdir_p(File.dirname(app.path(path)))
      File.write(app.path(path), text)
    end
    app
  end

  # The lockfile that Bundler creates for a Gemfile.
  def locked(gemfile, **options)
    app = project("locked#{@made = @made.to_i + 1}", gemfile, **options)
    app.bundle("lock")
    File.read(app.path("Gemfile.lock"))
  end

  # Runs Bundler and Spate on equal projects, and asserts equal files. Returns Spate's output.
  def assert_same(words, bundler: words, gemfile: @gemfile, lock: nil, **options)
    reference = project("bundler", gemfile, lock: lock, **options)
    app = project("spate", gemfile, lock: lock, **options)
    Array(bundler.first.is_a?(Array) ? bundler : [bundler]).each { |command| reference.bundle(*command) }
    output = app.spate!(*words)
    assert_equal contents(reference), contents(app), words.join(" ")
    output
  ensure
    %w[bundler spate].each { |name| FileUtils.rm_rf(File.join(folder, name, "app")) }
  end

  # { name of a manifest => its text, or nil if it is missing }
  def contents(app) = MANIFESTS.to_h { |name| [name, (File.read(app.path(name)) if File.exist?(app.path(name)))] }
end
