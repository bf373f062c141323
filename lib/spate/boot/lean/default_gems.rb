# frozen_string_literal: true

module Spate
  module Boot
    module Lean
      # RubyGems' table of the files of default gems, made when it is first asked for instead of at every start.
      module DefaultGems
        ASKING = %i[find_unresolved_default_spec register_default_spec clear_default_specs].freeze

        class << self
          # Called in the middle of RubyGems' own start, before it makes the table.
          def later
            return unless known?

            @own = { [::Gem::Specification, :load_defaults] => nil }
            ASKING.each { |name| @own[[::Gem, name]] = nil if ::Gem.respond_to?(name) }
            @own.each_key { |owner, name| @own[[owner, name]] = owner.singleton_class.instance_method(name) }
            take(::Gem::Specification, :load_defaults) { nil }
            ASKING.each { |name| take(::Gem, name) { |*arguments| DefaultGems.now.public_send(name, *arguments) } }
          end

          # Makes the table and puts RubyGems' methods back. Answers Gem.
          def now
            own, @own = @own, nil
            own&.each { |(owner, name), method| owner.singleton_class.define_method(name, method) }
            ::Gem::Specification.load_defaults if own
            ::Gem
          end

          private

          def known?
            ::Gem::Specification.respond_to?(:load_defaults) && ASKING.all? { |name| ::Gem.respond_to?(name) }
          end

          def take(owner, name, &block) = owner.singleton_class.define_method(name, &block)
        end
      end
    end
  end
end
