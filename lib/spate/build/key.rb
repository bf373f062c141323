# frozen_string_literal: true

module Spate
  module Build
    # The build key: a hash of what is known before it runs. Below it are variants, each with a record of
    # the inputs found during the build (docs/adr/0025-builds-depend-on-what-was-traced.md).
    class Key
      FORMAT = "spate build 6"

      # layout: responds to extensions_scope and rubygems.version.
      def initialize(layout:, ruby: RubyBuild.current)
        @layout = layout
        @ruby = ruby
      end

      # Hex. arguments: [String] of build.NAME. dependencies: SHA-256s of the archives of all gems it depends on. word:
      # see Cache::Invalidations.
      def for(full_name, sha256, arguments: [], dependencies: [], word: "")
        Store.sha256(<<~TEXT)
          #{machine}
          gem #{full_name} #{sha256} #{word}
          arguments #{arguments.inspect}
          dependencies #{dependencies.compact.sort.join(" ")}
        TEXT
      end

      # The key of a build that sees others: builds of its dependencies in its bundle. others: the identity of each.
      def self.seeing(key, others) = others.empty? ? key : Store.sha256("#{key}\nsees #{others.sort.join(" ")}")

      # Read from /proc, since File.umask briefly sets it to 0, while other threads create files.
      def self.umask
        File.read("/proc/self/status")[/^Umask:\s*(\d+)/, 1]&.oct || File.umask
      rescue SystemCallError
        File.umask
      end

      private

      def machine
        @machine ||= <<~TEXT
          #{FORMAT}
          ruby #{@ruby.identity}
          rubygems #{@layout.rubygems.version}
          extensions #{@layout.extensions_scope}
          umask #{Key.umask.to_s(8)}
        TEXT
      end
    end
  end
end
