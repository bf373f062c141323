# frozen_string_literal: true

require "remote_cache/entries"

class DocumentTest < Minitest::Test
  include CacheEntries

  Document = RemoteCache::Document

  def document(*entries) = Document.new(entries)
  def numbered(number, **options) = entry(id: hex(number.to_s)[0, 16], blob: hex("blob #{number}"), **options)

  def test_a_document_keeps_entries_and_names_their_blobs
    made = document(numbered(1), numbered(2))
    again = Document.parse(made.encode)

    assert_equal made.entries, again.entries
    assert_empty again.faults
    assert_equal made.entries.map(&:packed), again.entries.map(&:packed)
    assert_equal made.entries.map { |entry| ["alpha-1.0", entry.blob, entry.blob_bytes] },
                 RemoteCache::Document::ActionResult.decode(made.encode).files.map(&:to_a)
    assert_match(%r{\Aac/\h{64}\z}, Document.name(FIRST))
  end

  def test_newest_eight_entries_stay_and_one_per_signer_and_inputs
    old = document(*(1..8).map { |number| numbered(number) })
    new = document(numbered(3, made: 5), numbered(3, by: private_key(:other)))
    merged = Document.merge(new, old)

    assert_equal 8, merged.entries.size
    assert_equal(new.entries + old.entries.values_at(0, 1, 3, 4, 5, 6), merged.entries)
    assert_equal merged.entries, Document.merge(merged, merged).entries
    assert_equal old.entries, Document.merge(document, old).entries
  end

  # Entries are dropped if the records are long.
  def test_document_stays_below_the_readers_limit
    long = Random.new(3).bytes(1 << 20)
    old = (1..8).reduce(document) { |made, number| Document.merge(document(numbered(number, packed: long)), made) }

    assert_equal([8, 7, 6], old.entries.map { |entry| (1..8).find { |number| numbered(number).id == entry.id } })
    assert_equal old.entries, Document.parse(old.encode).entries
  end

  # A document in a later format is not an error of the cache.
  def test_document_of_another_format_is_a_fault
    other = Document::ActionResult.new([], "spate document 2\nx".b).encode
    assert_equal [[], ["not a document of this format"]],
                 Document.parse(other).then { |made| [made.entries, made.faults] }
  end

  def test_unreadable_entry_hides_no_other
    broken = numbered(2)
    broken.text = broken.text.sub("kind build", "kind other")
    parsed = Document.parse(document(numbered(1), broken, numbered(3)).encode)

    assert_equal [numbered(1).id, numbered(3).id], parsed.entries.map(&:id)
    assert_equal ["an entry has an invalid kind"], parsed.faults
  end

  def test_hostile_bytes_raise_only_the_documented_error
    bytes = document(numbered(1), numbered(2)).encode
    random = Random.new(2)
    hostile = Array.new(1000) { bytes.dup.tap { |copy| copy.setbyte(random.rand(copy.bytesize), random.rand(256)) } }
    hostile += (0...bytes.bytesize).step(7).map { |length| bytes.byteslice(0, length) }
    hostile << "<html><body>503</body></html>" << ("\x2a\x03abc".b)
    outcomes = hostile.map do |copy|
      Document.parse(copy).class
    rescue RemoteCache::Malformed
      :malformed
    end

    assert_equal [Document, :malformed], outcomes.uniq.sort_by(&:to_s)
    nine = document(*(1..9).map { |number| numbered(number) }).encode
    assert_raises(RemoteCache::Malformed) { Document.parse(nine) }
  end
end
