# frozen_string_literal: true

module Spate
  # Content-addressed ("skinny") gems, new in RubyGems 4.1: an archive for each platform and Ruby. Where other names
  # have the platform, theirs have the first digits of the archive's SHA-256: "name-1.0-78be552b.gem". Such a gem is for
  # a platform other than `ruby`, and for one Ruby ("~> 3.4.0").
  module ContentAddress
    FORM = /\A[0-9a-f]{8,64}\z/
    # The first RubyGems for which an address is more than an odd platform.
    SINCE = "4.1.0.a"
    PINNED = /\A~>\s*(\d+)\.(\d+)\.0+\z/

    module_function

    def known_to?(rubygems_version) = GemVersion.new(rubygems_version) >= SINCE

    # Whether a gem of that platform, which asks for these Rubies (["~> 3.4.0"]), may have an address.
    def eligible?(platform, ruby)
      !platform.nil? && platform != "ruby" && ruby.size == 1 && PINNED.match?(ruby.first)
    end
  end
end
