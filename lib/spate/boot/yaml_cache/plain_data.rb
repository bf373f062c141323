# frozen_string_literal: true

module Spate
  module Boot
    module YamlCache
      # Whether Marshal would return an equal object: plain classes, no default procs, no cycles.
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
    end
  end
end
