# frozen_string_literal: true

module Spate
  module JS
    # What packages run when they are installed. No script of a dependency runs unless the project allows it, in the way
    # its package manager keeps such a list; those of the project itself run.
    #
    #   Policy     who is allowed, by which list
    #   Job        the scripts of one folder
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
      autoload :Policy, "spate/js/scripts/policy"
      autoload :Run, "spate/js/scripts/run"
      autoload :Session, "spate/js/scripts/session"
      autoload :Variables, "spate/js/scripts/variables"

      # How many packages' scripts ran, and of how many the store had what they would have made.
      Count = Struct.new(:ran, :reused)

      module_function

      # After all packages, links and bins are in place, and before the state files: runs what is allowed to and has not
      # run, and writes into the outcome: built, pending, skipped. context: Restore::Context. Answers a Count. Raises
      # ScriptFailed, NodeMissing, Interrupted.
      def run(plan, outcome, configuration, context) = Session.new(plan, outcome, configuration, context).call

      # [Asking]: trees with scripts, and what the lists say of each. facts: { path => Facts }.
      def asking(plan, facts, configuration = nil) = Asking.all(plan, facts, Policy.of(plan, configuration))
    end
  end
end
