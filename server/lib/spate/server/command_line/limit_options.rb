# frozen_string_literal: true

require "optparse"

module Spate
  module Server
    class CommandLine
      # An option for each of Limits: --limit-header-bytes 65536. "none" where a limit may be none.
      module LimitOptions
        # WorkerOptions has it: a second name would look like a second thing.
        ELSEWHERE = %i[drain].freeze

        module_function

        # parser: an OptionParser. values: a Hash; `values[:limits]` becomes a Limits.
        def add(parser, values)
          values[:limits] ||= Limits.defaults
          offered = Limits::DEFINITIONS.reject { |limit| ELSEWHERE.include?(limit.name) }
          offered.group_by(&:group).each do |group, limits_of_group|
            parser.separator "\nLimits: #{group.downcase}"
            limits_of_group.each { |limit| option(parser, values[:limits], limit) }
          end
        end

        def option(parser, limits, limit)
          words = ["--limit-#{limit.name.to_s.tr("_", "-")} #{limit.unit}", "#{limit.text} #{default(limit)}"]
          parser.on(*words) do |text|
            limits[limit.name] = number(text, limit)
          rescue ArgumentError => e
            raise OptionParser::InvalidArgument, "#{text}: #{e.message[/[^:]+\z/].strip}"
          end
        end

        def default(limit) = "(#{limit.default || "none"})"

        # Seconds may have a fraction, bytes a K, M or G behind them.
        def number(text, limit)
          return nil if text == "none" && limit.optional
          return Float(text) if limit.unit == "SECONDS"

          Size.of(text) or raise ArgumentError
        rescue TypeError, ArgumentError
          raise ArgumentError, "no number"
        end
        private_class_method :option, :default, :number
      end
    end
  end
end
