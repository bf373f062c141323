# frozen_string_literal: true

require "test_helper"
require "spate/install/context"

module Spate
  # Threads switch while a Hash grows. No thread's result may be lost, and Ruby must not crash.
  class ChecksumLookupThreadsTest < Minitest::Test
    Package = Struct.new(:full_name, :source) do
      def hash
        Thread.pass
        full_name.hash
      end
    end

    def test_concurrent_answers_are_all_stored
      packages = Array.new(40) { |number| Package.new("pkg-#{number}", :source) }
      names = Install::Prepare::ChecksumLookup.new(context)
      100.times do
        asked = names.ask(packages.to_h { |package| [package, "old"] })
        assert_equal packages.map(&:full_name).sort, asked.values.sort
      end
    end

    private

    # A context whose client returns each package's name instead of a checksum.
    def context
      client = Object.new
      client.define_singleton_method(:listing) do |package, **|
        Registry::Client::Listing.new(package.full_name, "domain")
      end
      store = Object.new
      store.define_singleton_method(:remember_name) { |*| nil }
      sources = Struct.new(:client).new(client)
      Struct.new(:store, :sources).new(store, sources)
    end
  end
end
