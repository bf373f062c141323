# frozen_string_literal: true

require "minitest/mock"
require "remote_cache/entries"

# An entry counts as published only if a reader would accept it. A forged entry does not.
class PublishedTest < Minitest::Test
  include CacheEntries

  def setup
    @cache = FileUtils.mkdir_p("#{folder}/cache").first
    @store = Spate::Store.open(home: "#{folder}/home", env: {})
  end

  def test_entry_of_this_or_a_trusted_signer_is_there
    put(here)
    assert_equal :there, push.state
    put(here(by: private_key(:other)))
    assert_equal :there, push(trust: trust(public_key(:other))).state
    assert_equal :refused, push(trust: trust).state
  end

  def test_unsigned_entry_or_one_for_something_else_is_not_there
    forged = here.tap { |made| made.signature = "\0".b * 64 }
    [forged, here(key: hex("other")), here(ruby: "ruby 2.7"), here(id: hex("x")[0, 16])].each do |entry|
      put(entry)
      assert_equal :refused, push.state
    end
  end

  def test_a_forged_copy_is_replaced
    entry = here
    put(entry.dup.tap { |made| made.signature = "\0".b * 64 })
    assert_equal :sent, push { [entry, blob] }.state
    document = RemoteCache::Document.parse(File.binread(path))
    assert_equal([entry.signature], document.entries.map(&:signature))
  end

  # The entry may have been collected since, and no other machine may have it.
  def test_entry_sent_a_week_ago_is_checked_again
    push { [here, blob] }
    FileUtils.rm_rf("#{@cache}/ac")
    week = Time.now + (7 * 24 * 3600)
    [week - 60, week + 60].zip(%i[there sent]) do |time, state|
      Time.stub(:now, time) { assert_equal(state, push(again: false) { [here, blob] }.state) }
    end
    assert_path_exists path
  end

  # An age-based collection may soon remove the blob.
  def test_old_blob_is_written_again
    put(other = here(key: hex("other")))
    half, old = [6, 13].map { |hours| Time.now - (hours * 3600) }
    [half, old].each do |time|
      File.utime(time, time, "#{@cache}/cas/#{hex("blob")}")
      push { [here(made: time.to_i), blob] }
      assert_equal time == half, File.mtime("#{@cache}/cas/#{hex("blob")}").to_i == time.to_i
      put(other)
      File.utime(half, half, "#{@cache}/cas/#{hex("blob")}")
    end
  end

  # Age is measured by the cache's clock, because this machine's may be slow.
  def test_age_of_a_blob
    [7, 9].each do |hours|
      put(here(key: hex("other")))
      time = Time.now + (hours * 3600)
      File.utime(time, time, "#{@cache}/cas/#{hex("blob")}")
      cache = RemoteCache.transport(@cache, env: {})
      cache.define_singleton_method(:ahead) { -20 * 3600 }
      push(cache) { [here, blob] }
      assert_equal hours == 9, File.mtime("#{@cache}/cas/#{hex("blob")}").to_i == time.to_i
    end
  end

  def test_existing_archive_is_not_read
    archive = "cas/#{hex("archive")}"
    FileUtils.mkdir_p(File.dirname(kept = @store.archive_path(hex("archive"))))
    File.write(kept, "damaged")
    send = -> { pusher.archive("alpha-1.0", hex("archive"), again: true) }
    assert_equal [:refused, "its archive in the store is incomplete"], send.call.to_h.values_at(:state, :reason)
    refute_path_exists "#{@cache}/#{archive}"
    write("cache/#{archive}", "archive")
    assert_equal :there, send.call.state
  end

  # No reader accepts such a document.
  def test_oversized_document_is_replaced
    write("cache/#{RemoteCache::Document.name(FIRST)}", "x" * (RemoteCache::Document::ActionResult::LIMIT + 1))

    assert_equal(:sent, push { [here, blob] }.state)
    assert_equal 1, RemoteCache::Document.parse(File.binread(path)).entries.size
  end

  def test_document_that_others_always_overwrite_is_not_noted
    error = assert_raises(RemoteCache::Unavailable) { push(overwritten(RemoteCache::Push::TRIES)) { [here, blob] } }

    assert_match(/replaced the entry of alpha-1.0 4 times/, error.message)
    assert_equal :refused, push(again: false).state
    assert_equal(:sent, push(overwritten(RemoteCache::Push::TRIES - 1)) { [here, blob] }.state)
    assert_equal :there, push(again: false).state
  end

  private

  def here(**facts) = entry(blob: hex("blob"), blob_bytes: 4, **RemoteCache::Entry.machine, **facts)
  def path = "#{@cache}/#{RemoteCache::Document.name(FIRST)}"
  def blob = write("blob-#{rand}", "blob")

  # A cache whose document another machine overwrites a number of times.
  def overwritten(times)
    other = RemoteCache::Document.new([here(key: hex("other"))]).encode
    RemoteCache.transport(@cache, env: {}).tap do |cache|
      cache.define_singleton_method(:put) do |name, source, **|
        super(name, name.start_with?("ac/") && (times -= 1) >= 0 ? other : source)
      end
    end
  end

  def put(entry)
    write("cache/#{RemoteCache::Document.name(FIRST)}", RemoteCache::Document.new([entry]).encode)
    write("cache/cas/#{hex("blob")}", "blob")
  end

  # The block returns the Parcel's content, or a String if there is nothing to send.
  def push(cache = RemoteCache.transport(@cache, env: {}), trust: self.trust, again: true, &offer)
    offer ||= -> { "it was looked for" }
    parcel = RemoteCache::Push::Parcel.new(kind: "build", name: "alpha-1.0", key: FIRST, id: hex("id")[0, 16],
                                           offer: ->(_) { offer.call })
    made = pusher(cache, trust: trust)
    made.parcel(parcel, again: again).tap { made.save }
  end

  def pusher(cache = RemoteCache.transport(@cache, env: {}), trust: self.trust)
    RemoteCache::Push.new(cache, store: @store, key: private_key, trust: trust)
  end
end
