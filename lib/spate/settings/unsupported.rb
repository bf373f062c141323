# frozen_string_literal: true

module Spate
  class Settings
    # Settings that only Bundler can follow. Spate says which in one line and lets Bundler install.
    module Unsupported
      # Array of Setting for what these settings hold.
      def self.in(settings)
        settings.each.filter_map do |name, value, _origin|
          reason = Catalogue.reason(name)
          Setting.new(name, value, reason) if reason && value && value != []
        end
      end
    end
  end
end
