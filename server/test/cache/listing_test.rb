# frozen_string_literal: true

require "test_helper"
require "json"
require "support/cached"

module Spate
  module Server
    # Listings contain all entries, and require write permission.
    class CacheListingTest < Minitest::Test
      include Cached

      def listed(path = "/cas/", headers = {})
        answer = fetch(path, headers)
        assert_equal 200, code(answer), answer.body
        assert_equal "application/json", answer["content-type"]
        JSON.parse(answer.body)
      end

      def test_listing_has_all_entries
        cache
        assert_equal [[], []], [listed("/cas/"), listed("/any/base/ac/")]
        %w[one three].each { |text| put(blob(text), text) }
        put(document("x"), "document")
        write("store/cas/README", "not an entry")
        assert_equal [[File.basename(blob("one")), "file", 3], [File.basename(blob("three")), "file", 5]].sort,
                     listed.map { |entry| entry.values_at("name", "type", "size") }.sort
        told = listed("/ac/").first
        assert_equal File.basename(document("x")), told["name"]
        assert_equal File.mtime("#{store}#{document("x")}").to_i, Response::HTTPDate.seconds(told["mtime"])
        assert_equal [200, nil], [code(head("/cas/")), head("/cas/").body]
        assert_equal [400, 400], [code(put("/cas/", "x")), code(delete("/cas/"))]
      end

      def test_listing_requires_write_permission
        tokens = { "read" => "reader", "write" => "writer" }.map { |kind, token| [kind, write(token, "#{token}\n")] }
        cache(*tokens.flat_map { |kind, path| ["--cache-#{kind}-token", path] })
        statuses = [nil, "Bearer reader", "Basic #{["ci:writer"].pack("m0")}"].map do |text|
          code(fetch("/cas/", text ? { "authorization" => text } : {}))
        end
        assert_equal [401, 403, 200], statuses
      end

      # The files are empty, because a listing needs only their names.
      def test_listing_with_many_entries
        cache
        names = Array.new(2_000) { |index| Digest::SHA256.hexdigest(index.to_s) }
        names.each { |name| File.write("#{store}/cas/#{name}", "") }
        put(blob("x"), "x")
        found = listed.map { |entry| entry["name"] }
        assert_equal [2_001, []], [found.size, names - found]
        slow = TCPSocket.new("127.0.0.1", @port)
        slow.write("GET /cas/ HTTP/1.1\r\nhost: localhost\r\n\r\n")
        slow.readpartial(1000)
        assert_equal "x", fetch(blob("x")).body, "others are answered meanwhile"
        slow.close
        folders = -> { Dir.glob("/proc/#{@server}/fd/*").count { |path| link(path) == "#{File.realpath(store)}/cas" } }
        held = folders.call
        2.times { assert_equal 2_001, listed.size }
        assert_operator folders.call, :<=, held + 1
      end

      # Only the entries that are sent next are read from the disk, regardless of the size.
      def test_listing_is_read_while_it_is_sent
        read = 0
        folder = Object.new
        status = File.stat(__FILE__)
        folder.define_singleton_method(:entries) do |kind|
          (1..Float::INFINITY).lazy.map { |number| [Cache::Name.new(kind, (read = number).to_s), status] }
        end
        parts = Cache::Listing.new(folder, "cas").each_entry
        lines = Array.new(3) { parts.next.lines.size }
        assert_equal [65, 65, 65, 3 * 64], [*lines, read]
      end

      # A missing folder is an error of its listing only.
      def test_a_folder_that_cannot_be_read
        cache
        FileUtils.rm_rf("#{store}/ac")
        assert_equal 500, code(fetch("/ac/"))
        assert_equal 200, code(fetch("/cas/"))
      end

      private

      def link(path)
        File.readlink(path)
      rescue Errno::ENOENT
        nil
      end
    end
  end
end
