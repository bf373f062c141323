# frozen_string_literal: true

module Spate
  module Install
    # How this machine's RubyGems writes a specification's installed form and a wrapper: what must be known to write the
    # same bytes without loading it. Learnt once from RubyGems itself: specimens are written by both, and only where not
    # one byte differs is there a form. The store remembers the answer, also a "no".
    class RubygemsForm
      FORMAT = "spate-form 2"
      KIND = "verdicts"
      PLATFORMS = %w[
        ruby java x86_64-linux x86_64-linux-gnu x86_64-linux-musl aarch64-linux aarch64-linux-gnu aarch64-linux-musl
        arm-linux arm-linux-gnu arm-linux-musl x86-linux x86-linux-gnu x86-linux-musl arm64-darwin x86_64-darwin
        x64-mingw32 x64-mingw-ucrt x86-mingw32 universal-java
      ].freeze
      # Stand for a gem's name and an executable's in the wrapper that RubyGems wrote.
      TOKENS = %w[spate-token-gem spate-token-executable].freeze

      # Versions, as text: of RubyGems and of the Ruby it compares with. platforms: {as written => as RubyGems names it}
      # style: see GemspecText.
      attr_reader :style, :version, :ruby_version, :platforms

      class << self
        # A RubygemsForm; false where RubyGems is to write everything; nil where that is not known yet.
        def recall(store, derived_key)
          text = store.read(KIND, key(derived_key)) or return
          parse(text) || false
        end

        # Asks RubyGems, which gets loaded. scratch: a folder for the first lines of executables.
        def learn(store, derived_key, scratch)
          form = GemspecText::STYLES.lazy.filter_map { |style| fitting(style, scratch) }.first
          store.write(KIND, key(derived_key), form.to_s)
          form || false
        end

        private

        def key(derived_key) = Store.sha256("#{FORMAT} #{VERSION}\n#{derived_key}")

        def fitting(style, scratch)
          form = with(style, true, scratch)
          return unless Specimens.for(form.version, form.ruby_version).all? { |specimen| form.same?(specimen, scratch) }

          form.same?(Specimens.by_psych, scratch) ? form : with(style, false, scratch)
        end

        def with(style, psych, scratch)
          new(style: style, psych: psych, version: Gem::VERSION, ruby_version: Gem.ruby_version.to_s,
              platforms: PLATFORMS.to_h { |name| [name, Gem::Platform.new(name).to_s] },
              wrapper: Metadata.wrapper_of(*TOKENS, scratch))
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

      # metadata: PlainMetadata. The text of its gemspec.
      def specification(metadata) = GemspecText.new(metadata, rubygems: @version, style: @style).to_s

      # Whether the wrappers of a gem's executables are of the ordinary kind. RubyGems writes Bundler's in another way.
      def wraps?(gem)
        gem.name != "bundler" && [gem.name, *gem.executables].all? { |name| PlainMetadata::NAME.match?(name) }
      end

      # The text that starts an executable.
      def wrapper(name, executable) = @wrapper.gsub(/#{TOKENS.join("|")}/, TOKENS.zip([name, executable]).to_h)

      # Whether RubyGems says the same of a specimen, in every byte.
      def same?(specimen, scratch)
        mine = PlainMetadata.read(specimen.yaml, specimen, self) or return false
        others = Metadata.read(specimen.yaml, specimen)
        paths = ["lib/rubygems_plugin.rb"]
        mine.facts(paths, verified: "index").to_s == others.facts(paths, verified: "index").to_s &&
          mine.derived(specimen.first_lines).to_s == others.derived(specimen.first_lines, scratch).to_s
      end
    end
  end
end
