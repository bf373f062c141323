# frozen_string_literal: true

require_relative "../../inputs"

module Spate
  module RemoteCache
    class Builds
      # A record of inputs for another machine: the same inputs without stamps, which are good here alone.
      class Portable
        FLAGS = %i[nofollow mtime type].freeze

        # What a record says, whichever machine it was written on: [[kind, root, path, facts]].
        def self.items(record)
          Inputs.each(record).map { |kind, root, path, facts| [kind, root, path, facts.except(:stamped)] }
        end

        # roots, environment: as Inputs takes them. temporary: a path for the record while it is made.
        def initialize(roots, environment, temporary)
          @roots = roots
          @environment = environment
          @temporary = temporary
        end

        # Bytes. record: a path. It is made of what is here now, so that must be what was heard. Raises Refused,
        # SystemCallError.
        def of(record)
          items = self.class.items(record)
          refused = Inputs.write(@temporary, items.map do |item|
                                               input(*item)
                                             end, @roots, env: @environment, portable: true)
          raise Refused, "what it depends on is no longer so: #{refused.reverse.join(" ")}" if refused

          written = self.class.items(@temporary)
          other = ((written - items) + (items - written)).first
          raise Refused, "what it depends on is no longer so: #{other[2]}" if other

          File.binread(@temporary)
        ensure
          File.unlink(@temporary) if File.exist?(@temporary)
        end

        private

        def input(kind, root, path, facts)
          place = root ? [@roots.fetch(root) { raise Refused, "#{root} is not known here" }, path].compact : [path]
          [kind, place.reject { |part| part.to_s.empty? }.join("/"), nil, *FLAGS.select { |flag| facts[flag] }]
        end
      end
    end
  end
end
