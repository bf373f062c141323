# frozen_string_literal: true

require "test_helper"

# Entries in the form in which a machine signs them.
module CacheEntries
  RemoteCache = Spate::RemoteCache
  RUBY = "ruby 3.4.1 (2024-12-25 revision 48d4efcb85)"
  FIRST = Spate::Store.sha256("build key")

  def private_key(name = :ci) = ((@private_keys ||= {})[name] ||= RemoteCache::Trust::PrivateKey.generate)
  def public_key(name = :ci) = private_key(name).public_key(name.to_s)
  def trust(*keys) = RemoteCache::Trust.new(keys.empty? ? [public_key] : keys)
  def packed = RemoteCache::Entry::Records.new("inputs\0", "", "gem\talpha-1.0\n").pack

  def entry(by: private_key, packed: self.packed, **facts)
    all = { key: FIRST, kind: "build", what: "alpha-1.0", archive: hex("archive"), platform: "x86_64-linux",
            ruby: RUBY, id: hex("id")[0, 16], blob: hex("blob"), blob_bytes: 4321, tar_bytes: 20_480,
            file_bytes: 12_345, paths: 7, made: Time.now.to_i, seconds: "12.345" }
    RemoteCache::Entry.sign(all.merge(facts), packed, by)
  end

  def hex(text) = Spate::Store.sha256(text)

  def refusal(entry, trust = self.trust, key: FIRST, ruby: RUBY, platform: "x86_64-linux", **options)
    trust.refusal(entry, key, ruby: ruby, platform: platform, **options)
  end
end
