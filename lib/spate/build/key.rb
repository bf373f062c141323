# frozen_string_literal: true

module Spate
  module Build
    # The Ruby that extensions are built for.
    class RubyBuild
      # The running Ruby.
      def self.current = @current ||= new

      def initialize(description: RUBY_DESCRIPTION, config_path: Util::Ruby.config_path)
        @description = description
        @config_path = config_path
      end

      # Equal for two Rubies that can load each other's extensions and build them in the same way: version, revision,
      # platform, and all of RbConfig (ABI, ENABLE_SHARED, CC, CFLAGS, folders). The parser is not included.
      def identity
        @identity ||= "#{Util::Ruby.description(@description).sub(" +PRISM", "")}\n" \
                      "#{Store.sha256(@config_path.to_s + config)}"
      end

      private

      def config = @config_path ? File.read(@config_path, encoding: Encoding::UTF_8) : loaded

      # For a Ruby whose configuration is not in a file at the usual path.
      def loaded
        require "rbconfig"
        RbConfig::CONFIG.sort.map { |name, value| "CONFIG[\"#{name}\"] = #{value.inspect}\n" }.join
      end
    end

    # The build key: a hash of the facts known before the build runs. A key has several variants, each with a record of
    # the inputs found during the build (docs/adr/0025-builds-depend-on-what-was-traced.md).
    class Key
      FORMAT = "spate build 6"

      # layout: responds to extensions_scope and rubygems.version.
      def initialize(layout:, ruby: RubyBuild.current)
        @layout = layout
        @ruby = ruby
      end

      # Returns the build key (hex). arguments: [String] of build.NAME. dependencies: SHA-256s of the archives of all
      # gems that it depends on. word: see Cache::Invalidations.
      def for(full_name, sha256, arguments: [], dependencies: [], word: "")
        Store.sha256(<<~TEXT)
          #{machine}
          gem #{full_name} #{sha256} #{word}
          arguments #{arguments.inspect}
          dependencies #{dependencies.compact.sort.join(" ")}
        TEXT
      end

      # The key of a build that reads builds of its dependencies in the same bundle. others: the Entry#identity of each.
      def self.combine(key, others) = others.empty? ? key : Store.sha256("#{key}\nsees #{others.sort.join(" ")}")

      # Reads /proc, because File.umask briefly sets the umask to 0, which would affect files that other threads create.
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
