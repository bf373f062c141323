# frozen_string_literal: true

require_relative "build_case"
require "support/project"

module Spate
  # Builds a native gem from this machine's gem source with Spate and with `bundle install`, and compares the files.
  class BuildBundlerTest < BuildCase
    NAME = "racc"
    VERSION = "1.8.1"
    FULL_NAME = "#{NAME}-#{VERSION}".freeze

    # Downloads from the first gem source of this machine. `gem fetch` would read the source's whole index.
    def fetch
      require "rubygems/remote_fetcher"
      bytes = Gem::RemoteFetcher.fetcher.fetch_path(Gem.sources.first.uri + "gems/#{FULL_NAME}.gem")
      write("source/#{FULL_NAME}.gem", bytes)
    rescue Gem::RemoteFetcher::FetchError => e
      skip "the machine's gem source does not give #{FULL_NAME}: #{e.message}"
    end

    def bundled(archive, name)
      source = GemSource.start(folder: File.dirname(archive))
      project = TestProject.new(File.join(folder, name), "source '#{source.url}'\ngem '#{NAME}'\n",
                                home: File.join(folder, "home-#{name}"))
      project.bundle("install")
      project.bundle_root
    ensure
      source&.stop
    end

    def snapshots(root) = parts.map { |part| TreeComparison.snapshot(File.join(root, part)) }
    def parts = ["gems/#{FULL_NAME}", "extensions/#{layout.extensions_scope}/#{FULL_NAME}"]

    def test_the_same_files_as_bundle_install
      archive = fetch
      made = builder
      build(made, archive)
      expected = %w[one two].map { |name| snapshots(bundled(archive, name)) }
      snapshots(layout.root).each_with_index do |found, index|
        one, two = expected.map { |snapshot| snapshot[index] }

        assert_empty TreeComparison.differences(one, found, allowed: TreeComparison.unstable(one, two))
      end
    end
  end
end
