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
          offered = Limits::MEANINGS.reject { |meaning| ELSEWHERE.include?(meaning.name) }
          offered.group_by(&:group).each do |group, meanings|
            parser.separator "\nLimits: #{group.downcase}"
            meanings.each { |meaning| option(parser, values[:limits], meaning) }
          end
        end

        def option(parser, limits, meaning)
          words = ["--limit-#{meaning.name.to_s.tr("_", "-")} #{meaning.unit}", "#{meaning.text} #{default(meaning)}"]
          parser.on(*words) do |text|
            limits[meaning.name] = number(text, meaning)
          rescue ArgumentError => e
            raise OptionParser::InvalidArgument, "#{text}: #{e.message[/[^:]+\z/].strip}"
          end
        end

        def default(meaning) = "(#{meaning.default || "none"})"

        # Seconds may have a fraction, bytes a K, M or G behind them.
        def number(text, meaning)
          return nil if text == "none" && meaning.optional
          return Float(text) if meaning.unit == "SECONDS"

          digits, unit = text.match(/\A(\d+)([KMG])?\z/)&.captures
          raise ArgumentError, "no number" unless digits

          Integer(digits, 10) << { nil => 0, "K" => 10, "M" => 20, "G" => 30 }.fetch(unit)
        rescue TypeError, ArgumentError
          raise ArgumentError, "no number"
        end
        private_class_method :option, :default, :number
      end
    end
  end
end
