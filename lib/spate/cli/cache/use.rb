# frozen_string_literal: true

module Spate
  module CLI
    class Cache
      # `spate cache use ADDRESS`: stores the address as given, and connects to it once.
      class Use < Subcommand
        # Seconds to connect, and to wait for data.
        PATIENCE = 1
        # A name that is valid in every cache.
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

        # The setting's file may be committed.
        def refuse_password(text, place)
          raise RemoteCache::InvalidAddress.new(text, "contains a user and password, expected none", hint:
            "bundle config set --global #{place.uri.host} USER:PASSWORD, then spate cache use #{place}")
        end

        # Only warns: the cache may not be running yet.
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
