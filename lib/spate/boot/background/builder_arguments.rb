# frozen_string_literal: true

module Spate
  module Boot
    module Background
      # The command-line arguments of a builder, as `name=value`. A list repeats the name.
      class BuilderArguments
        # location: responds to root, gemfile, lockfile; exclude: patterns; report: the number of a file descriptor for
        # events, or nil; team: whether to query a team's cache.
        def self.for(location, caches, renew:, jobs: nil, exclude: [], report: nil, team: false)
          { renew: renew ? 1 : nil, team: team ? 1 : nil, store_root: caches.store_root, ruby_key: caches.ruby_key,
            root: location.root, gemfile: location.gemfile, lockfile: location.lockfile, jobs: jobs, exclude: exclude,
            report: report, load_path: RubyOptions.load_path }
            .flat_map { |name, values| [*values].map { |value| "#{name}=#{value}" } }
        end

        # values: name => [value]. A builder treats paths as UTF-8, regardless of its locale.
        def initialize(values)
          @values = values.transform_values { |list| list.map { |value| value.dup.force_encoding(Encoding::UTF_8) } }
        end

        def store_root = first_value("store_root")
        def ruby_key = first_value("ruby_key")
        def renew? = !first_value("renew").nil?
        def team? = !first_value("team").nil?
        def jobs = first_value("jobs")&.to_i
        def report = first_value("report")&.to_i
        def exclude = @values["exclude"] || []
        def location = Gemfile::Location.new(first_value("gemfile"), first_value("lockfile"), first_value("root"))

        private

        def first_value(name) = @values[name]&.first
      end

      # Command-line options that make the builder's Ruby compile files as this Ruby does.
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

        # RUBY_DESCRIPTION contains +PRISM if Prism is the active parser.
        def parser
          return [] unless RubyVM::InstructionSequence.respond_to?(:compile_prism)

          [RUBY_DESCRIPTION.include?("+PRISM") ? "--parser=prism" : "--parser=parse.y"]
        end
        private_class_method :frozen_string_literal, :parser
      end
    end
  end
end
