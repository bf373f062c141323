# frozen_string_literal: true

module Spate
  module CLI
    class Cache
      # `spate cache use ADDRESS`: remembered as it was spelled, and looked at once.
      class Use < Subcommand
        # Seconds to connect, and of silence.
        PATIENCE = 1
        # A name that every cache may be asked for.
        NAME = "ac/#{"0" * 64}".freeze

        def run
          text = operands!("ADDRESS").first
          place = RemoteCache::Address.parse(text)
          refuse_password(text, place) if place.userinfo
          remembered = setting(RemoteCache::SETTING)
          remembered.value = text
          look(place)
          tell_outweighed(remembered, text)
          terminal.hint(TRUST) if trusts_nobody?
          0
        end

        private

        # What is remembered may be committed.
        def refuse_password(text, place)
          raise RemoteCache::InvalidAddress.new(text, "has a user and password in it, expected none", hint:
            "bundle config set --global #{place.uri.host} USER:PASSWORD, then spate cache use #{place}")
        end

        # It may be that it runs only later.
        def look(place)
          transport(place, connect: PATIENCE, read: PATIENCE) do |there|
            there.get(NAME, limit: RemoteCache::Client::DOCUMENT)
          end
        rescue Error => e
          terminal.warning(e.message, hint: e.hint)
        end

        def trusts_nobody?
          [settings[RemoteCache::Trust::SETTING], context.env[RemoteCache::Trust::VARIABLE]].join.empty?
        end
      end
    end
  end
end
