# frozen_string_literal: true

module Spate
  module Boot
    module YamlCache
      # Checks whether Marshal would return an equal object: plain classes, no default values, no cycles.
      module PlainData
        ATOMS = [NilClass, TrueClass, FalseClass, Integer, Float, Symbol].freeze
        DEPTH = 100

        module_function

        def plain?(object, depth = 0)
          return false if depth > DEPTH

          case object
          when *ATOMS then true
          when String then object.instance_of?(String) && object.instance_variables.empty?
          when Array then object.instance_of?(Array) && object.all? { |item| plain?(item, depth + 1) }
          when Hash then hash?(object, depth + 1)
          else false
          end
        end

        def hash?(hash, depth)
          hash.instance_of?(Hash) && hash.default.nil? && hash.default_proc.nil? && !hash.compare_by_identity? &&
            hash.all? { |key, value| plain?(key, depth) && plain?(value, depth) }
        end
      end

      # Checks whether Psych is unpatched, because a patch may change the value of every file. Called for each file,
      # because methods can be redefined at any time.
      class Unpatched
        # Classes that affect the result, in addition to Psych's singleton methods and the classes of nodes.
        DECIDING = %i[ScalarScanner Parser TreeBuilder ClassLoader].freeze
        VISITORS = %i[Visitor ToRuby].freeze
        # Matches the source locations of Psych's methods that forwardable or an eval defines.
        GENERATED = %r{/forwardable(/impl)?\.rb\z|\A\(eval}

        def initialize
          @folder = Object.const_source_location("Psych::VERSION").first[%r{\A.*/psych(?=/)}]
          @methods = owners.flat_map do |owner|
            names = owner.instance_methods(false) | owner.private_instance_methods(false)
            names.map { |name| [owner, name, owner.instance_method(name)] }
          end
          @shipped = @methods.all? { |_, _, method| shipped?(method) }
        end

        def call = @shipped && @methods.all? { |owner, name, method| owner.instance_method(name) == method }

        private

        def owners
          [::Psych.singleton_class, *DECIDING.map { |name| ::Psych.const_get(name) }, ::Psych::ClassLoader::Restricted,
           *VISITORS.map { |name| ::Psych::Visitors.const_get(name) }, ::Psych::Visitors::ToRuby.singleton_class,
           *::Psych::Nodes.constants.map { |name| ::Psych::Nodes.const_get(name) }]
        end

        # Methods written in C have no location.
        def shipped?(method)
          method = method.super_method if method.owner == Methods
          path = method.source_location&.first
          path.nil? || path.start_with?("#{@folder}/", "#{@folder}.rb") || path.match?(GENERATED)
        end
      end
    end
  end
end
