# frozen_string_literal: true

require "test_helper"
require "digest/sha2" # before any thread starts, because concurrent loading is not thread-safe
require "securerandom"
require "support/fault_proxy"
require "support/web_servers"

# Tests for all transports and their servers. `cache` is the transport.
module TransportCase
  RemoteCache = Spate::RemoteCache
  Unavailable = RemoteCache::Unavailable
  MIB = 1 << 20
  # An environment without this machine's keys and proxy.
  ENVIRONMENT = { "AWS_EC2_METADATA_DISABLED" => "true", "HOME" => "/nonexistent" }.freeze

  def self.cas(bytes) = "cas/#{Digest::SHA256.hexdigest(bytes)}"
  def self.ac(text) = "ac/#{Digest::SHA256.hexdigest(text)}"

  def transport(address, **options) = RemoteCache.transport(address, env: ENVIRONMENT, **options)
  def cas(bytes) = TransportCase.cas(bytes)
  def ac(text) = TransportCase.ac(text)

  # Asserts an Unavailable with this reason, and returns it.
  def assert_unavailable(reason, message = //, &block)
    error = assert_raises(Unavailable, &block)

    assert_equal reason, error.reason, error.message
    assert_match message, error.message
    error
  end

  # The tests for all transports that can write.
  module Contract
    def test_empty_cache
      assert_nil cache.get(cas("none"), limit: MIB)
      assert_nil cache.head(ac("none"))
      assert_nil cache.fetch(cas("none"), to: "#{folder}/fetched", limit: MIB)
      assert_empty Dir["#{folder}/fetched*"]
    end

    def test_bytes_come_back
      bytes = SecureRandom.random_bytes(300_000)

      assert cache.put(cas(bytes), bytes)
      assert_equal bytes, cache.get(cas(bytes), limit: MIB)
      assert_equal 300_000, cache.head(cas(bytes))
      assert_equal 300_000, cache.fetch(cas(bytes), to: "#{folder}/fetched", limit: MIB)
      assert_equal bytes, File.binread("#{folder}/fetched")
      assert_equal ["#{folder}/fetched"], Dir["#{folder}/fetched*"]
    end

    def test_a_document_is_replaced
      ["", "one", "two, and longer"].each do |text|
        cache.put(ac("key"), text)

        assert_equal text, cache.get(ac("key"), limit: MIB)
        assert_equal text.bytesize, cache.fetch(ac("key"), to: "#{folder}/fetched", limit: MIB)
      end
    end

    # If the server ignores the condition, the document is replaced.
    def test_put_of_a_new_name_only
      assert cache.put(ac("key"), "one", fresh: true)
      kept = cache.put(ac("key"), "two", fresh: true) == false
      assert_equal kept ? "one" : "two", cache.get(ac("key"), limit: MIB)
      assert_equal tells_of_others?, kept
    end

    def tells_of_others? = false

    # The server responds to Expect: 100-continue before the file is sent.
    def test_a_large_file_is_streamed
      bytes = SecureRandom.random_bytes(3 * MIB)
      path = write("large", bytes)

      File.open(path, "rb") { |file| 2.times { cache.put(cas(bytes), file) } }
      cache.fetch(cas(bytes), to: "#{folder}/fetched", limit: 3 * MIB)

      assert FileUtils.identical?(path, "#{folder}/fetched")
    end

    def test_no_more_than_the_limit
      cache.put(cas("12345"), "12345")

      assert_equal "12345", cache.get(cas("12345"), limit: 5)
      assert_unavailable(:answer, /5 bytes.*, expected at most 4\z/) { cache.get(cas("12345"), limit: 4) }
      assert_unavailable(:answer) { cache.fetch(cas("12345"), to: "#{folder}/fetched", limit: 4) }
      assert_empty Dir["#{folder}/fetched*"]
    end

    def test_delete
      cache.put(cas("gone"), "gone")

      2.times { assert cache.delete(cas("gone")) }
      assert_nil cache.get(cas("gone"), limit: MIB)
    end

    def test_threads_share_it
      texts = Array.new(24) { |number| "text #{number}" }
      texts.map { |text| Thread.new { cache.put(cas(text), text) } }.each(&:join)

      assert_equal texts, texts.map { |text| Thread.new { cache.get(cas(text), limit: MIB) } }.map(&:value)
    end

    def test_invalid_names_are_refused
      ["cas/../../etc/passwd", "cas/#{"A" * 64}", "ac/#{"a" * 63}", "cas/#{"a" * 64}\n", "cas/#{"a" * 64}\0", "", nil,
       "x/#{"a" * 64}", "ac/#{"a" * 32}/#{"a" * 31}"].each do |name|
        [-> { cache.get(name, limit: 1) }, -> { cache.head(name) }, -> { cache.put(name, "") },
         -> { cache.delete(name) }, -> { cache.fetch(name, to: "#{folder}/no", limit: 1) }]
          .each { |call| assert_raises(ArgumentError, name.inspect, &call) }
      end
    end

    def test_full_local_disk_is_not_the_caches_error
      cache.put(cas("here"), "here")

      assert_raises(Spate::Store::Error) { cache.fetch(cas("here"), to: "#{folder}/none/here", limit: MIB) }
    end

    def test_closed
      cache.close
      assert_unavailable(:closed) { cache.get(cas("here"), limit: MIB) }
    end
  end

  # The tests for transports with atomic writes.
  module Whole
    # A concurrent reader gets one of the complete texts.
    def test_readers_beside_writers_see_complete_texts
      texts = %w[a b].map { |letter| letter * 400_000 }
      cache.put(ac("torn"), texts[0])
      writer = Thread.new { 20.times { |number| cache.put(ac("torn"), texts[number % 2]) } }
      read = []
      read << cache.get(ac("torn"), limit: MIB) while writer.alive?

      assert_empty read.uniq - texts
    end
  end

  # The tests for transports that can list.
  module Lists
    def test_all_are_listed
      names = %w[apple berry lemon].map { |text| cas(text).tap { |name| cache.put(name, text) } }
      cache.put(ac("a"), "document")
      listed = cache.each("cas/").to_a

      assert_equal names.sort, listed.map(&:first).sort & names
      assert_equal 5, listed.assoc(names[0])[1]
      assert_in_delta Time.now.to_f, listed.assoc(names[0])[2].to_f, 600
      assert_in_delta listed.assoc(names[0])[2].to_f, cache.time(names[0]).to_f, 2
      assert_nil cache.time(cas("none"))
      documents = cache.each("ac/").to_a.map(&:first)

      assert_includes documents, ac("a")
      refute_includes documents, names[0]
    end
  end
end
