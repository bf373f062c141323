# frozen_string_literal: true

module Spate
  module JS
    module Tools
      # A command in a process group of its own. It and all its descendants end with this process, even if that is
      # killed. Its output goes to a log.
      class Child < Build::Run::Child
        LAUNCH = File.expand_path("child/launch.rb", __dir__)
        # A Ruby that only starts and waits.
        RUBY = ["--disable=gems,did_you_mean,error_highlight,rubyopt"].freeze

        # environment: all that the command gets. log: path. folder: where it runs. tracer: Tracer that listens, or nil.
        # inherited: {IO => IO}.
        def initialize(environment, log, folder:, tracer: nil, inherited: {})
          whole = ENV.to_h.transform_values { nil }.merge(environment)
          super(tracer ? tracer.environment(whole, environment) : whole,
                { chdir: folder, **inherited, **(tracer&.options || {}) }, log)
          @tracer = tracer
        end

        # Runs the words to their end; answers a Process::Status.
        def run(*words) = super(@tracer ? Tracer.binding_path : "", *words)

        private

        def program = [*RUBY, LAUNCH]
      end
    end
  end
end
