# frozen_string_literal: true

module Spate
  module Install
    module Unpack
      # Which bits of an archive's modes RubyGems leaves to the files that it installs.
      module ModeMask
        # The first version that takes the umask off (`file_mode(entry.header.mode) & ~File.umask`).
        SINCE = [3, 5, 8].freeze

        # rubygems: a version, "3.3.15". Answers 0777, or less.
        def self.for(rubygems, umask: File.umask)
          return Store::PackageKey::WHOLE if (rubygems.split(".").map(&:to_i) <=> SINCE).negative?

          mask = Store::PackageKey::WHOLE & ~umask
          # Nobody but root could read such files, and the core takes no mask for none.
          mask.zero? ? Store::PackageKey::WHOLE : mask
        end
      end
    end
  end
end
