# frozen_string_literal: true

module Spate
  module JS
    # What packages run when they are installed. No script of a dependency runs unless the project allows it, in the way
    # its package manager keeps such a list; those of the project itself run.
    #
    #   Policy     who is allowed, by which list
    #   Job        the scripts of one folder
    #   Own        those of the project's own packages: which, and when
    #   Order      jobs side by side, those that others need first
    #   Variables  what a script finds in its environment
    #   Run        one job
    #   Build      what a job made, kept in the store for the next time
    #   Memory     whose scripts have run in this project
    module Scripts
      autoload :Asking, "spate/js/scripts/asking"
      autoload :Build, "spate/js/scripts/build"
      autoload :Diagnosis, "spate/js/scripts/diagnosis"
      autoload :Job, "spate/js/scripts/job"
      autoload :Machine, "spate/js/scripts/machine"
      autoload :Memory, "spate/js/scripts/memory"
      autoload :Order, "spate/js/scripts/order"
      autoload :Own, "spate/js/scripts/own"
      autoload :Policy, "spate/js/scripts/policy"
      autoload :Run, "spate/js/scripts/run"
      autoload :Session, "spate/js/scripts/session"
      autoload :Variables, "spate/js/scripts/variables"

      # How many packages' scripts ran, and of how many the store had what they would have made.
      Count = Struct.new(:ran, :reused)

      module_function

      # All that are to run, where a restore is done already. context: Restore::Context. Raises as Session.
      def run(plan, outcome, configuration, context)
        session = Session.new(plan, outcome, configuration, context)
        session.first
        session.call.tap { session.last }
      end

      # Whether scripts get a copy of what they write into of packages, so that links are safe from them.
      def part?
        require "spate/ear"
        !Ear.parting({}, "/").nil?
      end

      # [Asking]: trees with scripts, and what the lists say of each. facts: { path => Facts }.
      def asking(plan, facts, configuration = nil) = Asking.all(plan, facts, Policy.of(plan, configuration))
    end
  end
end
