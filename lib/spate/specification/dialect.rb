# frozen_string_literal: true

module Spate
  module Specification
    # How this machine's RubyGems writes an installed gemspec and a wrapper, so that Spate can write the same bytes
    # without loading RubyGems. Determined once: RubyGems and Spate both write the samples, and there is a dialect only
    # if every byte is the same. The store also keeps a negative result.
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

      # Versions of RubyGems and of the Ruby it compares with, as text. platforms: {as written => as RubyGems names it}.
      # style: see Writer.
      attr_reader :style, :version, :ruby_version, :platforms

      class << self
        # The stored Dialect; false if RubyGems must write everything; nil if that was not determined yet.
        def recall(store, rubygems)
          text = store.read(KIND, key(rubygems)) or return
          parse(text) || false
        end

        # Determines the dialect with RubyGems, which is loaded. scratch: a folder for the first lines of executables.
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

      # Whether RubyGems reads YAML as Psych does.
      def psych? = @psych

      # metadata: PlainMetadata. Returns the text of its gemspec.
      def specification(metadata) = Writer.new(metadata, rubygems: @version, style: @style).to_s

      # Whether the wrappers of a gem's executables have the usual form. RubyGems writes those of Bundler differently.
      def wraps?(gem)
        gem.name != "bundler" && [gem.name, *gem.executables].all? { |name| PlainMetadata::NAME.match?(name) }
      end

      # The text that starts an executable.
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
