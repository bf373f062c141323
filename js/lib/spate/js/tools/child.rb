# frozen_string_literal: true

module Spate
  module JS
    module Tools
      # A command in its own process group. When this process ends, the command and all its descendants end, even if
      # this process is killed. The output goes to a log.
      class Child < Build::Run::Child
        LAUNCH = File.expand_path("child/launch.rb", __dir__)
        # Options for a Ruby that only starts the command and waits.
        RUBY = ["--disable=gems,did_you_mean,error_highlight,rubyopt"].freeze

        # environment: all variables of the command. log: path. folder: working directory of the command. tracer: a
        # listening Tracer, or nil. inherited: {IO => IO}.
        def initialize(environment, log, folder:, tracer: nil, inherited: {})
          whole = ENV.to_h.transform_values { nil }.merge(environment)
          super(tracer ? tracer.environment(whole, environment) : whole,
                { chdir: folder, **inherited, **(tracer&.options || {}) }, log)
          @tracer = tracer
        end

        # Runs the command until it ends. Returns a Process::Status.
        def run(*words) = super(@tracer ? Tracer.binding_path : "", *words)

        private

        def program = [*RUBY, LAUNCH]
      end
    end
  end
end
