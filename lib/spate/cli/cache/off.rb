# frozen_string_literal: true

module Spate
  module CLI
    class Cache
      # `spate cache off`: if a cache is set globally, disables it for this application.
      class Off < Subcommand
        def run
          operands!
          kept = setting(RemoteCache::SETTING)
          here = kept.value
          kept.value = nil if here && here != RemoteCache::OFF
          others = kept.settings[RemoteCache::SETTING]
          kept.value = RemoteCache::OFF if others && others != RemoteCache::OFF && !values[:global]
          terminal.tell("no cache is configured here") if here.nil? && others.nil?
          tell_outweighed(kept, nil)
          0
        end
      end
    end
  end
end
