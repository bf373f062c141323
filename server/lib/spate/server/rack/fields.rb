# frozen_string_literal: true

module Spate
  module Server
    module Rack
      # Converts an application's fields (names in any case, values joined by line breaks in Rack 2, or Arrays in Rack
      # 3) to the fields of Response.
      module Fields
        # Maximum number of cached names. Applications use the same names again and again.
        REMEMBERED = 1024
        NAMES = {} # rubocop:disable Style/MutableConstant
        # Fields such as "rack.hijack" are for the server and not sent.
        INTERNAL = "rack."

        def self.of(headers)
          fields = {}
          headers.each do |name, value|
            name = NAMES[name] || remember(name)
            value = value(value)
            fields[name] = value unless name.start_with?(INTERNAL) || value.nil?
          end
          fields
        end

        def self.remember(name)
          known = -name.to_s.downcase
          NAMES[name.to_s.dup.freeze] = known if NAMES.size < REMEMBERED
          known
        end
        private_class_method :remember

        def self.value(value)
          case value
          when String then value.include?("\n") ? value.split("\n") : value
          when Array then value.compact.map(&:to_s)
          when nil then nil
          else value.to_s
          end
        end
        private_class_method :value
      end
    end
  end
end
