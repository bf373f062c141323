# frozen_string_literal: true

require "remote_cache/entries"

class EntryTest < Minitest::Test
  include CacheEntries

  def test_entry_is_signed_text
    made = entry
    again = RemoteCache::Entry.parse(made.text, made.signature, made.packed)

    assert_equal made, again
    assert again.signed_by?(public_key)
    refute again.signed_by?(public_key(:other))
    assert_equal "spate entry 1\nkey #{FIRST}\nkind build\nwhat alpha-1.0\n", made.text.lines.first(4).join
    assert_equal "signer #{private_key.id}\n", made.text.lines.last
  end

  def test_openssl_itself_verifies_the_signature
    made = entry
    files = { "key.pem" => private_key.to_pem, "text" => made.text, "signature" => made.signature }
    files.each { |name, bytes| File.binwrite(File.join(folder, name), bytes) }
    command = %w[openssl pkeyutl -verify -inkey key.pem -rawin -in text -sigfile signature]

    assert system(*command, chdir: folder, %i[out err] => File::NULL)
    File.write(File.join(folder, "text"), "x", mode: "a")
    refute system(*command, chdir: folder, %i[out err] => File::NULL)
  end

  def test_only_the_canonical_spelling_is_read
    made = entry
    spellings = [made.text.sub("blob_bytes 4321", "blob_bytes 04321"), made.text.sub("kind build", "kind  build"),
                 made.text.sub("\nkind", "\r\nkind"), made.text.chomp, "#{made.text}\n", "#{made.text}more 1\n",
                 made.text.sub("entry", "entry "), made.text.sub(/^kind.*\n/, ""),
                 made.text.sub("blob_bytes 4321", "blob_bytes -1"),
                 made.text.sub("alpha-1.0", "../alpha"), made.text.sub("alpha-1.0", "alpha\e[1m"),
                 made.text.sub(FIRST, FIRST.upcase), made.text.sub("spate entry 1", "spate entry 2"), "", "\0" * 99,
                 "#{made.text}#{"x" * 5000}"] - [made.text]

    assert_equal 16, spellings.size
    spellings.each do |text|
      assert_raises(RemoteCache::Malformed, text) { RemoteCache::Entry.parse(text, made.signature, made.packed) }
    end
    assert_raises(RemoteCache::Malformed) { RemoteCache::Entry.parse(made.text, "short", made.packed) }
  end
end
