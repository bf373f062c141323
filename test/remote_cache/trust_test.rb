# frozen_string_literal: true

require "remote_cache/entries"

# An entry of a cache is accepted only if a key that this application trusts has signed it for the same query.
class TrustTest < Minitest::Test
  include CacheEntries

  DAY = 24 * 60 * 60
  PrivateKey = Spate::RemoteCache::Trust::PrivateKey

  def test_entry_signed_by_a_trusted_key_is_accepted
    assert_nil refusal(entry)
    assert_nil refusal(entry(by: private_key(:other)), trust(public_key, public_key(:other)))
  end

  def test_each_reason_has_its_words
    since = public_key.dup.tap { |key| key.since = Time.now.to_i - (10 * DAY) }
    refused = {
      "which is not trusted here" => refusal(entry(by: private_key(:other))),
      "signed by ci before" => refusal(entry(made: Time.now.to_i - (11 * DAY)), trust(since)),
      "which is in the future" => refusal(entry(made: Time.now.to_i + DAY + 60)),
      "for another Ruby: ruby 3.0" => refusal(entry(ruby: "ruby 3.0")),
      "for another platform: arm64-darwin" => refusal(entry(platform: "arm64-darwin")),
      "for another key" => refusal(entry(key: hex("other"))),
      "a build" => refusal(entry, kind: "check"),
      "the signature of ci is invalid" => refusal(entry.tap { |made| made.signature = "\0" * 64 })
    }
    refused.each { |words, said| assert_includes said.to_s, words }
    assert_nil refusal(entry(made: Time.now.to_i - (9 * DAY)), trust(since))
    assert_nil refusal(entry(made: Time.now.to_i + DAY - 60)), "clocks differ"
  end

  def test_later_date_of_a_duplicate_key_counts
    word = public_key.to_s
    setting = "#{word}:since=2026-11-01 #{public_key(:other)}"
    trust = RemoteCache::Trust.from(settings(setting, "again:#{word[/:(.*)/, 1]}"))

    assert_equal 2, trust.keys.size
    assert_match(/before 2026-11-01/, trust.doubt(private_key.id, Time.utc(2026, 10, 31).to_i))
    assert_nil trust.doubt(private_key.id, Time.utc(2026, 11, 1).to_i, now: Time.utc(2026, 11, 2))
    assert_nil trust.doubt(private_key(:other).id, 0)
  end

  def test_no_signer_is_trusted_without_keys
    assert_match(/which is not trusted here/, refusal(entry, RemoteCache::Trust.from(settings(nil, nil))))
  end

  # Entries that differ from the signed one, or that were signed for another query.
  def test_thousand_mutations_are_refused
    whole = RemoteCache::Document.new([entry]).encode
    random = Random.new(4)
    outcomes = Array.new(1000) { |number| outcome(number < 700 ? bytes_changed(whole, random) : replayed(random)) }

    assert_equal 1000, outcomes.size
    assert_equal [:refused], outcomes.uniq
    assert_equal :accepted, outcome(whole), "the unchanged entry"
  end

  def test_pem_in_one_line
    key = PrivateKey.generate
    pem = key.to_pem
    [pem, pem.gsub("\n", "\\n"), pem.chomp.gsub("\n", "\\n"), pem.tr("\n", " "), pem.chomp.tr("\n", " "),
     pem.delete("\n"), pem.gsub("\n", "\r\n")].each { |text| assert_equal key.id, PrivateKey.load(text).id, text.dump }
  end

  def test_public_key_in_its_place
    key = PrivateKey.generate
    [key.public_key("ci").to_s, OpenSSL::PKey.read(key.to_pem).public_to_pem].each do |text|
      error = assert_raises(Spate::Settings::Error) { PrivateKey.load(text) }
      assert_equal "SPATE_CACHE_KEY is a public key, expected a private one", error.message
      assert_match(/NAME\.pem/, error.hint)
    end
  end

  def test_hint_names_the_command_that_creates_a_key
    ["/nowhere.pem", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"].each do |text|
      assert_match(/spate cache key NAME/, assert_raises(Spate::Settings::Error) { PrivateKey.load(text) }.hint)
    end
  end

  private

  # :accepted if at least one entry of the document is accepted, else :refused.
  def outcome(bytes)
    RemoteCache::Document.parse(bytes).entries.any? { |made| refusal(made).nil? } ? :accepted : :refused
  rescue RemoteCache::Malformed
    :refused
  end

  # Changes a relevant byte: in the entry's text, its signature or its records.
  def bytes_changed(whole, random)
    start = whole.index("spate entry 1")
    copy = whole.dup
    case random.rand(4)
    when 0 then copy.byteslice(0, random.rand(start..(copy.bytesize - 1)))
    when 1 then copy.tap { copy.slice!(random.rand(start...copy.bytesize), random.rand(1..40)) }
    when 2 then copy.insert(random.rand(start...copy.bytesize), random.bytes(random.rand(1..9)))
    else copy.tap { copy.setbyte(at = random.rand(start...copy.bytesize), copy.getbyte(at) ^ random.rand(1..255)) }
    end
  end

  def replayed(random)
    made = [-> { entry(key: hex(random.rand.to_s)) }, -> { entry(ruby: "ruby 2.#{random.rand(9)}") },
            -> { entry(platform: "arm64-linux") }, -> { entry(made: Time.now.to_i + DAY + random.rand(60..9999)) },
            -> { entry(by: private_key(:stranger)) }, -> { swapped }, -> { unsigned }].sample(random: random).call
    RemoteCache::Document.new([made]).encode
  end

  def unsigned = entry.tap { |made| made.signature = "\0".b * 64 }

  # The signature of one entry with the text of another.
  def swapped = entry.tap { |made| made.signature = entry(paths: 1).signature }

  def settings(setting, variable)
    env = { "BUNDLE_SPATE__CACHE_KEYS" => setting, "SPATE_CACHE_KEYS" => variable, "HOME" => folder }.compact
    Spate::Settings.load(root: folder, env: env)
  end
end
