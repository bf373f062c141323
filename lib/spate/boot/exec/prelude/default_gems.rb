# frozen_string_literal: true

module Spate
  module Boot
    module Exec
      module Prelude
        # Builds RubyGems' table of the files of default gems on first use instead of at each start, because that
        # evaluates 70 gemspecs (15 ms).
        module DefaultGems
          FINDING = %i[find_unresolved_default_spec find_default_spec].freeze
          CHANGING = %i[register_default_spec clear_default_specs].freeze

          class << self
            # Called during RubyGems' start, before it builds the table.
            def postpone
              return unless known?

              @originals = { [::Gem::Specification, :load_defaults] => nil }
              asking = [*FINDING, *CHANGING].select { |name| ::Gem.respond_to?(name) }
              asking.each { |name| @originals[[::Gem, name]] = nil }
              @originals.each_key do |owner, name|
                @originals[[owner, name]] = owner.singleton_class.instance_method(name)
              end
              replace_method(::Gem::Specification, :load_defaults) { nil }
              asking.each { |name| replace_method(::Gem, name) { |*arguments| DefaultGems.answer(name, arguments) } }
            end

            # Runs the block, which needs only this gem. Until it returns, lookups read only this gem's specification.
            def with_only(gem)
              @only = gem
              yield
            ensure
              @only = nil
            end

            # The keys of the table are features, never absolute paths.
            def answer(name, arguments)
              finding = FINDING.include?(name)
              return if finding && arguments.first.start_with?("/")
              return all.public_send(name, *arguments) unless finding && @only

              register_gem
              call_original(name, *arguments)
            end

            private

            # Builds the table and restores RubyGems' methods. Returns Gem.
            def all
              originals, @originals = @originals, nil
              originals&.each { |(owner, name), method| Boot.replace(owner.singleton_class, name, method) }
              ::Gem::Specification.load_defaults if originals
              ::Gem
            end

            def register_gem
              Dir.glob("#{@only}-*.gemspec", base: ::Gem.default_specifications_dir).each do |name|
                specification = ::Gem::Specification.load("#{::Gem.default_specifications_dir}/#{name}")
                call_original(:register_default_spec, specification) if specification&.name == @only
              end
            end

            def call_original(name, *arguments) = @originals.fetch([::Gem, name]).bind_call(::Gem, *arguments)

            def known?
              ::Gem::Specification.respond_to?(:load_defaults) && CHANGING.all? { |name| ::Gem.respond_to?(name) }
            end

            def replace_method(owner, name, &block) = Boot.replace(owner.singleton_class, name, block)
          end
        end
      end
    end
  end
end
