# frozen_string_literal: true

module Spate
  module Server
    module Profile
      # What takes the samples. Each kind answers:
      #
      #     name, mode            "own"; "cpu" or "wall"
      #     start(interval)       microseconds
      #     stop(facts)           a Recording
      #     forget                in a fork: the parent's continues, ours is over
      module Engine
        autoload :BuiltIn, "spate/server/profile/engine/built_in"
        autoload :Stackprof, "spate/server/profile/engine/stackprof"
        autoload :Vernier, "spate/server/profile/engine/vernier"

        NAMES = %w[stackprof vernier own].freeze

        # The one that is named, else the first that is installed; vernier first where its own format is wanted.
        # Unable where the named one is not there.
        def self.choose(name, ending)
          return load(name) || raise(Unable.new("#{name} is not installed", hint: "gem install #{name}")) if name

          names = ending == ".json" ? %w[vernier stackprof own] : NAMES
          names.each { |one| load(one)&.then { |engine| return engine } }
        end

        # nil where its gem cannot be loaded, as under a bundle that does not name it.
        def self.load(name)
          case name
          when "own" then BuiltIn.new
          when "stackprof" then Stackprof.new
          when "vernier" then Vernier.new
          else raise Unable.new("#{name} is no profiler", hint: "one of #{NAMES.join(", ")}")
          end
        rescue LoadError
          nil
        end
        private_class_method :load
      end
    end
  end
end
