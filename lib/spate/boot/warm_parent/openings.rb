# frozen_string_literal: true

module Spate
  module Boot
    class WarmParent
      # Records which line has opened each IO, for the messages of Obstacles. Active only while the application is
      # loaded under the tracer. Does not see files that C code opens.
      module Openings
        # Class methods of IO and its subclasses.
        METHODS = %i[new open pipe popen].freeze

        @places = {}

        class << self
          def start
            IO.singleton_class.prepend(Hooks)
          end

          # Returns ", opened at FILE:LINE", or "" if the line is not known.
          def describe(number)
            id, place = @places[number]
            open = ObjectSpace.each_object(IO).any? { |io| io.__id__ == id && !io.closed? && io.fileno == number } if id
            open ? ", opened at #{place}" : ""
          end

          # result: what a method of METHODS has returned.
          def add(result)
            opened = (result.is_a?(Array) ? result : [result]).grep(IO).reject(&:closed?)
            return if opened.empty?

            lines = caller_locations.reject { |each| each.path == __FILE__ }
            line = lines.find { |each| each.path.start_with?("#{Dir.pwd}/") } || lines.first
            opened.each { |io| @places[io.fileno] = [io.__id__, "#{line.path}:#{line.lineno}"] }
          end
        end

        # Prepended to IO's singleton class.
        module Hooks
          METHODS.each do |name|
            define_method(name) do |*arguments, **options, &block|
              result = super(*arguments, **options, &block)
              Openings.add(result)
              result
            end
          end
        end
      end
    end
  end
end
