# frozen_string_literal: true

require_relative "serve_benchmark"

# The cache of a team, with a table of its own.
class CacheBenchmark < ServeBenchmark
  RESULTS = File.expand_path("../../results/cache.md", __dir__)
  ROWS = [ReadLargeEntries, ReadSmallEntries, WriteLargeEntries, WriteSmallEntries].freeze
  TITLE = "The cache of a team: CPU time and rates beside nginx with DAV"
  NOTES = ["nginx stores what comes under any name; spate-serve hashes each entry, and stores it only under its own " \
           "SHA-256. HTTP/1.1 in clear text; neither forces anything to disk."].freeze

  private

  # Rows make their entries themselves.
  def prepare(_folder) = nil
end
