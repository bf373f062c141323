# frozen_string_literal: true

module Spate
  module JS
    # Runs install scripts of packages. A script of a dependency runs only if the project allows it, in the package
    # manager's list of allowed packages. Scripts of the project itself always run.
    #
    #   Policy     which packages are allowed, by which list
    #   Job        the scripts of one folder
    #   Own        the scripts of the project's own packages: which ones run, and when
    #   Order      runs jobs in parallel, dependencies first
    #   Variables  the environment of a script
    #   Run        runs one job
    #   Build      the result of a job, stored for reuse
    #   Memory     the scripts that have run in this project
    module Scripts
      %i[Asking Policy].each { |name| autoload name, "spate/js/scripts/policy" }
      autoload :Build, "spate/js/scripts/build"
      %i[Diagnosis Run].each { |name| autoload name, "spate/js/scripts/run" }
      %i[Job Memory Order].each { |name| autoload name, "spate/js/scripts/job" }
      %i[Machine Variables].each { |name| autoload name, "spate/js/scripts/variables" }
      autoload :Own, "spate/js/scripts/run"
      autoload :Session, "spate/js/scripts/session"

      # ran: number of packages whose scripts ran. reused: number of packages whose results came from the store.
      Count = Struct.new(:ran, :reused)

      module_function

      # Runs all scripts of a project that is already restored. context: Restore::Context. Raises the errors of Session.
      def run(plan, outcome, configuration, context)
        session = Session.new(plan, outcome, configuration, context)
        session.first
        session.call.tap { session.last }
      end

      # Whether the tracer can give scripts a private copy of each file that they write to. Linked files in the store
      # are then safe.
      def part?
        require "spate/tracer"
        !Tracer.copy_on_write_environment({}, "/").nil?
      end

      # [Asking]: the trees with scripts, each with the decision of the lists. facts: { path => Facts }.
      def asking(plan, facts, configuration = nil) = Asking.all(plan, facts, Policy.of(plan, configuration))
    end
  end
end
