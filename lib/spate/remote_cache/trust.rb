# frozen_string_literal: true

module Spate
  module RemoteCache
    # The signers whose entries count here: public keys with names, of the setting `spate.cache_keys` and of
    # SPATE_CACHE_KEYS.
    #
    #   ci:MCowBQ...=[:since=2026-11-01]    words, between blanks or commas
    class Trust
      autoload :PrivateKey, "spate/remote_cache/trust/private_key"
      autoload :PublicKey, "spate/remote_cache/trust/public_key"

      SETTING = "spate.cache_keys"
      VARIABLE = "SPATE_CACHE_KEYS"
      # Seconds that a signer's clock may be before this one.
      DAY = 24 * 60 * 60

      # The id of the untrusted signer in a reason (see #doubt); else nil.
      def self.stranger(reason) = reason[/\Asigned by (\h{32}), which is not trusted here\z/, 1]

      # Raises Settings::InvalidValue.
      def self.from(settings)
        texts = { SETTING => settings[SETTING], VARIABLE => settings.env[VARIABLE] }
        new(texts.flat_map do |name, text|
          words(text).map { |word| PublicKey.parse(word, name) }
        end)
      end

      # Of a setting with any content.
      def self.words(text) = text.to_s.scrub.split(/[\s,]+/).reject(&:empty?)

      # keys: [PublicKey]. Of one that is there twice the later `since` counts.
      def initialize(keys)
        @keys = keys.group_by(&:id).transform_values { |same| same.max_by(&:since) }
      end

      def keys = @keys.values

      # Why what a key signed does not count, in words; nil where it does. signer: its id. made: Unix time.
      def doubt(signer, made, now: Time.now)
        key = @keys[signer] or return "signed by #{signer}, which is not trusted here"
        return "signed by #{key.name} before #{day(key.since)}, since when it counts" if made < key.since

        "signed by #{key.name} at #{day(made)}, which is to come" if made > now.to_i + DAY
      end

      # Whether an entry is what its signer, whom one trusts, has signed.
      def signed?(entry) = @keys.key?(entry.signer) && entry.signed_by?(@keys[entry.signer])

      # The same of an entry that came under a key. ruby, platform: this machine's, as entries have them.
      def refusal(entry, key, ruby:, platform:, kind: "build", now: Time.now)
        doubt = doubt(entry.signer, entry.made, now: now) and return doubt
        return "not what #{@keys[entry.signer].name} signed" unless signed?(entry)
        return "a #{entry.kind}" if entry.kind != kind
        return "for another Ruby: #{entry.ruby}" if entry.ruby != ruby
        return "for another platform: #{entry.platform}" if entry.platform != platform

        "for another key: #{entry.key}" if entry.key != key
      end

      private

      def day(time) = Time.at(time).utc.strftime("%Y-%m-%d")
    end
  end
end
