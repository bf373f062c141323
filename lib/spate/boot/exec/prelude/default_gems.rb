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

              @own = { [::Gem::Specification, :load_defaults] => nil }
              asking = [*FINDING, *CHANGING].select { |name| ::Gem.respond_to?(name) }
              asking.each { |name| @own[[::Gem, name]] = nil }
              @own.each_key { |owner, name| @own[[owner, name]] = owner.singleton_class.instance_method(name) }
              take(::Gem::Specification, :load_defaults) { nil }
              asking.each { |name| take(::Gem, name) { |*arguments| DefaultGems.answer(name, arguments) } }
            end

            # The block needs only this gem, so only its specification is read.
            def only(gem)
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

              some
              own(name, *arguments)
            end

            private

            # Builds the table and restores RubyGems' methods. Returns Gem.
            def all
              own, @own = @own, nil
              own&.each { |(owner, name), method| Boot.replace(owner.singleton_class, name, method) }
              ::Gem::Specification.load_defaults if own
              ::Gem
            end

            def some
              Dir.glob("#{@only}-*.gemspec", base: ::Gem.default_specifications_dir).each do |name|
                specification = ::Gem::Specification.load("#{::Gem.default_specifications_dir}/#{name}")
                own(:register_default_spec, specification) if specification&.name == @only
              end
            end

            def own(name, *arguments) = @own.fetch([::Gem, name]).bind_call(::Gem, *arguments)

            def known?
              ::Gem::Specification.respond_to?(:load_defaults) && CHANGING.all? { |name| ::Gem.respond_to?(name) }
            end

            def take(owner, name, &block) = Boot.replace(owner.singleton_class, name, block)
          end
        end
      end
    end
  end
end
