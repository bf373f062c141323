# frozen_string_literal: true

module Spate
  class Tracer
    # Runs a Ruby that evaluates the user's code (a Gemfile, a gemspec, an application) only for its result. This Ruby
    # and its descendants cannot change files. The tracer's listener rejects such calls. Without tracing, Landlock and a
    # system call filter do. Without Landlock, files can still be opened for writing, so the evaluating script itself
    # must not write.
    module ReadOnly
      CONFINE = File.expand_path("confine.rb", __dir__)

      # Like Util::Child.run.
      def self.run(environment, *words, **options, &block)
        return Util::Child.run(environment, *confined, *words, **options, &block) unless Tracer.available? == true

        Tracer.trace(read_only: true) do |tracer|
          command = tracer.command(Util::Ruby.path, *words).drop(1)
          Util::Child.run(environment.merge(tracer.environment({}, environment)), *command, **options, **tracer.options,
                          &block)
        end.value
      end

      # Arguments of a Ruby that confines itself, then executes a different Ruby with the arguments that follow.
      def self.confined = [*Tracer::WITHOUT_LIBRARIES, CONFINE, Tracer.binding_path, Util::Ruby.path]
    end
  end
end
