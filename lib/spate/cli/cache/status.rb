# frozen_string_literal: true

module Spate
  module CLI
    class Cache
      # `spate cache status`: the cache's address, the trusted signers, and its use on this machine.
      class Status < Subcommand
        # The number of most frequent reasons to print.
        MOST = 5
        HAD = { archives: "archive", builds: "build", checks: "Gemfile check", compile_caches: "compile cache" }.freeze

        def run
          operands!
          cache = transport(&:to_s)
          usage = RemoteCache::Client::Usage.new(context.store, cache).to_h
          keys, fault = trusted
          id, key_fault = signing
          faults = [fault, key_fault].compact
          unsent, hint = unsent_last
          if json?
            json.call(event: :cache_status, address: cache, trusts: keys.map(&:name), signers: ids(keys),
                      writes: !id.nil?, id: id, faults: faults.map(&:message), unsent: unsent, **usage)
          else
            lines(cache, keys, id, usage).each { |line| terminal.out.puts(line) }
            faults.each { |error| terminal.warning(error.message, hint: error.hint) }
            terminal.warning(unsent, hint: hint) if unsent
            terminal.hint(TRUST) if keys.empty? && fault.nil?
          end
          0
        end

        private

        # Returns [[PublicKey], error in the setting or nil].
        def trusted
          [RemoteCache::Trust.from(settings).keys, nil]
        rescue Settings::Error => e
          [[], e]
        end

        # Returns [id of the signing key or nil, error in the key or nil].
        def signing
          [RemoteCache::Trust::PrivateKey.of(context.env)&.id, nil]
        rescue Settings::Error => e
          [nil, e]
        end

        # Returns [message, hint] if the last install could not send its builds, otherwise nil.
        def unsent_last
          store = context.store.writable_store and Install::Sharing.failure(store)
        end

        def ids(keys) = keys.to_h { |key| [key.name, key.id] }

        def lines(cache, keys, id, usage)
          trusts = keys.map { |key| "trusts #{key.name}, whose id is #{key.id}" }
          trusts = ["trusts no signer: no build is used"] if trusts.empty?
          sends = id ? "sends, signed by the key with the id #{id}" : "sends nothing: SPATE_CACHE_KEY is not set"
          [cache, sends, *trusts, *history(usage)]
        end

        def history(usage)
          return ["not used yet"] if usage[:installs].zero?

          reasons = usage[:reasons].max_by(MOST) { |_, count| count }
          had = HAD.filter_map { |kind, word| Units.count(usage[kind], word) if usage[kind].positive? }
          had = had.empty? ? "no hits" : "#{had.join(", ")} found (#{Units.bytes(usage[:bytes])})"
          ["used in #{Units.count(usage[:installs], "install")}: #{had}, " \
           "#{Units.number(usage[:misses])} missed, #{Units.count(usage[:failures], "failure")}",
           *("  last failure: #{Util::Terminal.plain(usage[:failure])}" if usage[:failure]),
           *("saved #{Units.seconds(usage[:seconds])} of compiling" if usage[:seconds].positive?),
           *reasons.map { |words, count| "  not used #{count}x: #{Util::Terminal.plain(words)}" }]
        end
      end
    end
  end
end
