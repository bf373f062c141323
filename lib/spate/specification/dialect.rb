# frozen_string_literal: true

module Spate
  module Specification
    # Describes how this machine's RubyGems writes installed gemspecs and wrappers, so that Spate can write the same
    # bytes without loading RubyGems. It is determined once, by letting both RubyGems and Spate write some samples. A
    # Dialect exists only if all bytes are the same. A negative result is also stored.
    class Dialect
      FORMAT = "spate-form 2"
      KIND = "checks"
      PLATFORMS = %w[
        ruby java x86_64-linux x86_64-linux-gnu x86_64-linux-musl aarch64-linux aarch64-linux-gnu aarch64-linux-musl
        arm-linux arm-linux-gnu arm-linux-musl x86-linux x86-linux-gnu x86-linux-musl arm64-darwin x86_64-darwin
        x64-mingw32 x64-mingw-ucrt x86-mingw32 universal-java
      ].freeze
      # Placeholders for the names of a gem and an executable in the wrapper written by RubyGems.
      TOKENS = %w[spate-token-gem spate-token-executable].freeze

      # version, ruby_version: the versions of RubyGems and Ruby as text. platforms: {name in the metadata => RubyGems'
      # name}. style: see Writer.
      attr_reader :style, :version, :ruby_version, :platforms

      class << self
        # The stored Dialect, false if RubyGems must write everything, or nil if it was not yet determined.
        def recall(store, rubygems)
          text = store.read(KIND, key(rubygems)) or return
          parse(text) || false
        end

        # Determines the dialect with RubyGems, which must be loaded. scratch: a folder for the first lines of
        # executables.
        def learn(store, rubygems, scratch)
          dialect = Writer::STYLES.lazy.filter_map { |style| fitting(style, scratch) }.first
          store.write(KIND, key(rubygems), dialect.to_s)
          dialect || false
        end

        private

        def key(rubygems) = Store.sha256("#{FORMAT} #{VERSION}\n#{rubygems}")

        def fitting(style, scratch)
          dialect = with(style, true, scratch)
          samples = Samples.for(dialect.version, dialect.ruby_version)
          return unless samples.all? { |sample| dialect.same?(sample, scratch) }

          dialect.same?(Samples.by_psych, scratch) ? dialect : with(style, false, scratch)
        end

        def with(style, psych, scratch)
          new(style: style, psych: psych, version: Gem::VERSION, ruby_version: Gem.ruby_version.to_s,
              platforms: PLATFORMS.to_h { |name| [name, Gem::Platform.new(name).to_s] },
              wrapper: RubygemsMetadata.wrappers(TOKENS.first, "1", [TOKENS.last], scratch).fetch(TOKENS.last))
        end

        def parse(text)
          head, wrapper = text.split("\n\n", 2)
          return unless wrapper

          values = head.each_line(chomp: true).map { |line| line.split("\t") }
          style, version, ruby_version, psych = values.first
          new(style: style, psych: psych == "true", version: version, ruby_version: ruby_version,
              platforms: values.drop(1).to_h, wrapper: wrapper)
        end
      end

      def initialize(style:, psych:, version:, ruby_version:, platforms:, wrapper:)
        @style = style
        @psych = psych
        @version = version
        @ruby_version = ruby_version
        @platforms = platforms
        @wrapper = wrapper
      end

      def to_s
        lines = [[@style, @version, @ruby_version, @psych], *@platforms]
        "#{lines.map { |line| line.join("\t") }.join("\n")}\n\n#{@wrapper}"
      end

      # Whether RubyGems reads YAML like Psych.
      def psych? = @psych

      # metadata: PlainMetadata. Returns the text of its gemspec.
      def specification(metadata) = Writer.new(metadata, rubygems: @version, style: @style).to_s

      # Whether RubyGems writes standard wrappers for a gem's executables. Those of Bundler are different.
      def wraps?(gem)
        gem.name != "bundler" && [gem.name, *gem.executables].all? { |name| PlainMetadata::NAME.match?(name) }
      end

      # The text of an executable's wrapper.
      def wrapper(name, executable) = @wrapper.gsub(/#{TOKENS.join("|")}/, TOKENS.zip([name, executable]).to_h)

      # Whether RubyGems writes the same bytes for a sample.
      def same?(sample, scratch)
        mine = PlainMetadata.read(sample.yaml, sample, self) or return false
        others = RubygemsMetadata.read(sample.yaml, sample)
        paths = ["lib/rubygems_plugin.rb"]
        mine.facts(paths, verified: "index").to_s == others.facts(paths, verified: "index").to_s &&
          mine.generate(sample.first_lines).to_s == others.generate(sample.first_lines, scratch).to_s
      end
    end
  end
end
