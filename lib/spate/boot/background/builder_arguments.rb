# frozen_string_literal: true

module Spate
  module Boot
    module Background
      # The arguments of a builder as `name=value`; lists repeat the name.
      class BuilderArguments
        # location: responds to root, gemfile, lockfile; exclude: patterns; report: number of a file descriptor for
        # events, if another process reads them; team: whether to query a team's cache.
        def self.for(location, caches, renew:, jobs: nil, exclude: [], report: nil, team: false)
          { renew: renew ? 1 : nil, team: team ? 1 : nil, store_root: caches.store_root, ruby_key: caches.ruby_key,
            root: location.root, gemfile: location.gemfile, lockfile: location.lockfile, jobs: jobs, exclude: exclude,
            report: report, load_path: RubyOptions.load_path }
            .flat_map { |name, values| [*values].map { |value| "#{name}=#{value}" } }
        end

        # values: name => [value]. Paths are UTF-8 in a builder, regardless of its locale.
        def initialize(values)
          @values = values.transform_values { |list| list.map { |value| value.dup.force_encoding(Encoding::UTF_8) } }
        end

        def store_root = one("store_root")
        def ruby_key = one("ruby_key")
        def renew? = !one("renew").nil?
        def team? = !one("team").nil?
        def jobs = one("jobs")&.to_i
        def report = one("report")&.to_i
        def exclude = @values["exclude"] || []
        def location = Gemfile::Location.new(one("gemfile"), one("lockfile"), one("root"))

        private

        def one(name) = @values[name]&.first
      end

      # Options for a Ruby that builds compile caches, so that it compiles like this one as far as options allow.
      module RubyOptions
        module_function

        # ["--disable-gems", "--enable=frozen-string-literal"]
        def current
          ["--disable-gems", "--disable=rubyopt", *frozen_string_literal, *parser]
        end

        # Folders of Spate and of its extension, which may be missing on this process's $LOAD_PATH.
        def load_path
          extension = $LOADED_FEATURES.find { |path| path.match?(%r{/spate/native/boot\.\w+\z}) }
          [LIBRARY, extension && File.expand_path("../../..", extension)].compact.uniq
        end

        def frozen_string_literal
          value = RubyVM::InstructionSequence.compile_option[:frozen_string_literal]
          return [] unless [true, false].include?(value)

          ["--#{value ? "enable" : "disable"}=frozen-string-literal"]
        end

        # A Ruby with two parsers names the active one in its description.
        def parser
          return [] unless RubyVM::InstructionSequence.respond_to?(:compile_prism)

          [RUBY_DESCRIPTION.include?("+PRISM") ? "--parser=prism" : "--parser=parse.y"]
        end
        private_class_method :frozen_string_literal, :parser
      end
    end
  end
end
