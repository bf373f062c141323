# frozen_string_literal: true

module Spate
  module Install
    # The key of derived texts: all that RubyGems mixes into a gemspec and a wrapper besides the gem itself.
    module DerivedKey
      # A path component such as "rubygems-3.3.15-<16 hex digits>".
      def self.for(rubygems)
        rest = [rubygems.ruby, rubygems.ruby_version, rubygems.platform, rubygems.extension_api_version].join("\n")
        "rubygems-#{rubygems.version}-#{Store.sha256(rest)[0, 16]}"
      end
    end
  end
end
