# frozen_string_literal: true

module Spate
  module CLI
    class Cache
      # `spate cache status`: where it is, whom one trusts, and what it was good for on this machine.
      class Status < Subcommand
        # Reasons that are shown, those seen most.
        MOST = 5

        def run
          operands!
          usage = RemoteCache::Client::Usage.new(context.store, address).to_h
          keys = RemoteCache::Trust.from(settings).keys.map(&:name)
          writes = !Ground::SigningKey.of(context.env).nil?
          if json?
            json.call(event: :cache_status, address: address.to_s, trusts: keys, writes: writes, **usage)
          else
            lines(usage, keys, writes).each { |line| terminal.out.puts(line) }
          end
          0
        end

        private

        def lines(usage, keys, writes)
          reasons = usage[:reasons].max_by(MOST) { |_, count| count }
          ["#{address}#{", with a key to send" if writes}",
           keys.empty? ? "trusts nobody: no build is taken" : "trusts #{keys.join(", ")}",
           "asked in #{Units.count(usage[:installs], "install")}: #{Units.count(usage[:archives], "archive")}, " \
           "#{Units.count(usage[:builds], "build")}, #{Units.count(usage[:verdicts], "verdict")} and " \
           "#{Units.count(usage[:images], "set")} of boot images had (#{Units.bytes(usage[:bytes])}), " \
           "#{Units.number(usage[:misses])} missed, #{Units.count(usage[:failures], "failure")}",
           "spared #{Units.seconds(usage[:seconds])} of compiling",
           *reasons.map { |words, count| "  not used #{count}x: #{Ground::Terminal.plain(words)}" }]
        end
      end
    end
  end
end
