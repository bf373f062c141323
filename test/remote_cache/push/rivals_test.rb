# frozen_string_literal: true

require "remote_cache/entries"

# Machines that send the same build at the same time, over a cache where the last who writes wins.
class RivalsTest < Minitest::Test
  include CacheEntries

  # A cache in memory. The block is called after each document that was written.
  class Memory
    attr_reader :kept, :written

    def initialize(&block)
      @kept = {}
      @written = []
      @block = block
    end

    def get(name, limit:) = (@kept[name] if limit)
    def head(name) = @kept[name]&.bytesize

    def put(name, source)
      @kept[name] = source.is_a?(String) ? source : source.read
      return true unless name.start_with?("ac/")

      @written << name
      @block.call(@written.size)
      true
    end
  end

  # A store that keeps nothing.
  NoStore = Struct.new(:keeper)

  def setup
    @blob = "b" * 10
    here = RemoteCache::Entry.machine
    @mine = entry(blob: hex(@blob), blob_bytes: 10, **here)
    @other = entry(blob: hex("other"), blob_bytes: 5, made: Time.now.to_i + 1, **here)
  end

  # Mine is written over once by another machine's; its blob is there, or not.
  def push(other_blob:)
    name = RemoteCache::Document.name(FIRST)
    cache = Memory.new { |count| cache.kept[name] = RemoteCache::Document.new([@other]).encode if count == 1 }
    cache.kept["cas/#{hex("other")}"] = "other" if other_blob
    File.write(path = "#{folder}/blob", @blob)
    parcel = RemoteCache::Push::Parcel.new(kind: "build", name: "alpha-1.0", key: FIRST, id: @mine.id,
                                           offer: ->(_) { [@mine, path] })
    RemoteCache::Push.new(cache, store: NoStore.new, key: private_key, trust: trust).parcel(parcel)
    [cache.written.size, RemoteCache::Document.parse(cache.kept[name]).entries.map(&:text)]
  end

  def test_the_same_of_the_same_signer_is_as_good
    assert_equal [1, [@other.text]], push(other_blob: true)
  end

  def test_without_its_blob_it_is_not
    written, texts = push(other_blob: false)
    assert_operator written, :>, 1
    refute_empty texts
  end
end
