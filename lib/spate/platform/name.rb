# frozen_string_literal: true

module Spate
  class Platform
    # Parses a platform's name: "<cpu>-<os><version>", or only an operating system.
    module Name
      # Spellings of each operating system; a group captures its version. The first match is used.
      SYSTEMS = [
        [/aix-?(\d+)?/, "aix"],
        [/cygwin/, "cygwin"],
        [/darwin-?(\d+)?/, "darwin"],
        [/^macruby-?(\d+(?:\.\d+)*)?/, "macruby"],
        [/freebsd-?(\d+)?/, "freebsd"],
        [/^java-?(\d+(?:\.\d+)*)?|\Ajruby\z/, "java"],
        [/^dalvik-?(\d+)?$/, "dalvik"],
        [/^dotnet-?(\d+(?:\.\d+)*)?/, "dotnet"],
        [/linux-?(\w+)?/, "linux"],
        [/mingw32/, "mingw32"],
        [/mingw-?(\w+)?/, "mingw"],
        [/mswin32(?:[_-](\d+))?/, "mswin32"],
        [/mswin64(?:[_-](\d+))?/, "mswin64"],
        [/netbsdelf/, "netbsdelf"],
        [/openbsd-?(\d+\.\d+)?/, "openbsd"],
        [/solaris-?(\d+\.\d+)?/, "solaris"],
        [/wasi/, "wasi"]
      ].freeze

      # [cpu or nil, os, version or nil]
      def self.split(name)
        cpu, system = name.sub(/-+\z/, "").split("-", 2)
        cpu = "x86" if cpu&.match?(/i\d86/)
        cpu, system = nil, cpu if system.nil?

        SYSTEMS.each do |pattern, os|
          next unless (found = pattern.match(system))

          cpu = "x86" if cpu.nil? && os == "mswin32"
          return [cpu, os, found[1]]
        end
        [cpu, "unknown", nil]
      end
    end
  end
end
