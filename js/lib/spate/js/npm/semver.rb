# frozen_string_literal: true

module Spate
  module JS
    module Npm
      # npm's versions and ranges (https://semver.org, and node-semver's grammar of ranges).
      module Semver
        autoload :Comparator, "spate/js/npm/semver/comparator"
        autoload :Range, "spate/js/npm/semver/range"
        autoload :Version, "spate/js/npm/semver/version"

        # The parts of versions and ranges as regular expressions: loose ones accept what npm accepts in package.json
        # ("01.2", "1.2.3beta"), strict ones follow semver.org.
        class Grammar
          attr_reader :number, :prerelease, :build

          def initialize(loose)
            @number = loose ? /\d{1,256}/ : /(?:0|[1-9]\d{0,255})/
            part = /(?:\d{0,256}[a-zA-Z-][a-zA-Z0-9-]{0,250}|#{@number})/
            @prerelease = /#{loose ? "-?" : "-"}(#{part}(?:\.#{part})*)/
            @build = /\+[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)*/
          end

          STRICT = new(false)
          LOOSE = new(true)
          def self.of(loose) = loose ? LOOSE : STRICT
        end

        # Whether a version is in a range; false if either is invalid. prereleases: treat them as releases.
        def self.satisfies?(version, range, loose: false, prereleases: false)
          version = Version.parse(version, loose: loose)
          range = Range.parse(range, loose: loose, prereleases: prereleases)
          !version.nil? && !range.nil? && range.include?(version)
        end

        # Whether there may be a version that is in all of these ranges: if so, one that one of them begins with.
        def self.meet?(ranges)
          ranges = ranges.map { |range| Range.parse(range, loose: true) or return false }
          ranges.flat_map(&:beginnings).any? { |version| ranges.all? { |range| range.include?(version) } }
        end
      end
    end
  end
end
