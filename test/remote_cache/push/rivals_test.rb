# frozen_string_literal: true

require "remote_cache/entries"
require "support/web_servers"

# If machines send the same build at the same time to a cache in which the last writer wins, one valid entry remains.
class RivalsTest < Minitest::Test
  include CacheEntries

  # A cache in memory. Calls the block after each document is written. spares: blobs that exist, but are never read.
  class Memory
    attr_reader :kept, :written

    def initialize(spares: {}, &block)
      @kept = {}
      @written = []
      @spares = spares
      @block = block
    end

    def get(name, limit:) = (@kept[name] if limit)
    def head(name) = @kept[name]&.bytesize

    def time(name) = (Time.now if @kept[name])

    def ahead = 0

    def put(name, source, **)
      return @kept[name] = @spares[name] if @spares[name]

      @kept[name] = source.is_a?(String) ? source : source.read
      return true unless name.start_with?("ac/")

      @written << name
      @block.call(@written.size)
      true
    end
  end

  # A store that saves nothing.
  NoStore = Struct.new(:writable_store)

  def setup
    @blob = "b" * 10
    here = RemoteCache::Entry.machine
    @mine = entry(blob: hex(@blob), blob_bytes: 10, **here)
    @other = entry(blob: hex("other"), blob_bytes: 5, made: Time.now.to_i + 1, **here)
  end

  def parcel
    File.write(path = "#{folder}/blob-#{rand}", @blob)
    RemoteCache::Push::Parcel.new(kind: "build", name: "alpha-1.0", key: FIRST, id: @mine.id,
                                  offer: ->(_) { [@mine, path] })
  end

  def send_to(cache) = RemoteCache::Push.new(cache, store: NoStore.new, key: private_key, trust: trust).parcel(parcel)

  # Sends a build while another machine overwrites the document once. other_blob: whether the blob of the other machine
  # exists. Returns [number of written documents, texts of the entries].
  def push(other_blob:)
    name = RemoteCache::Document.name(FIRST)
    cache = Memory.new { |count| cache.kept[name] = RemoteCache::Document.new([@other]).encode if count == 1 }
    cache.kept["cas/#{hex("other")}"] = "other" if other_blob
    send_to(cache)
    [cache.written.size, RemoteCache::Document.parse(cache.kept[name]).entries.map(&:text)]
  end

  def test_same_entry_of_the_same_signer_is_accepted
    assert_equal [1, [@other.text]], push(other_blob: true)
  end

  def test_entry_without_its_blob_is_not_accepted
    written, texts = push(other_blob: false)
    assert_operator written, :>, 1
    refute_empty texts
  end

  # If the blob exists or is not read, another machine came first and is about to write the document.
  def test_second_machine_leaves_the_document_to_the_first
    blob = "cas/#{hex(@blob)}"
    [[{ blob => @blob }, {}], [{}, { blob => @blob }]].each do |there, spares|
      cache = Memory.new(spares: spares) { flunk }
      cache.kept.merge!(there)
      other = Thread.new do
        sleep 0.3
        cache.kept[RemoteCache::Document.name(FIRST)] = RemoteCache::Document.new([@mine]).encode
      end
      send_to(cache)
      other.join
      assert_empty cache.written
    end
  end

  # All machines find that the document is missing before the first one writes it.
  def test_concurrent_writers_write_the_document_once
    server = WebServers.node(FileUtils.mkdir_p("#{folder}/node").first) or skip "no spate-serve here"
    address = "http://ci:#{WebServers::PASSWORD}@127.0.0.1:#{server.port}"
    looking = Thread::Queue.new
    written = Thread::Queue.new
    Array.new(8) { Thread.new { send_to(late(address, looking, written, 8)) } }.each(&:value)
    assert_equal [RemoteCache::Document.name(FIRST)], Array.new(written.size) { written.pop }
  ensure
    server&.stop
  end

  private

  # A cache whose second query waits until `count` machines had theirs. Records the accepted documents.
  def late(address, looking, written, count)
    looks = 0
    RemoteCache.transport(address, env: {}).tap do |cache|
      cache.define_singleton_method(:get) do |name, **options|
        found = super(name, **options)
        looking << name if (looks += 1) == 2
        sleep 0.01 until looks != 2 || looking.size == count
        found
      end
      cache.define_singleton_method(:put) do |name, source, **options|
        super(name, source, **options).tap { |taken| written << name if taken && name.start_with?("ac/") }
      end
    end
  end
end
