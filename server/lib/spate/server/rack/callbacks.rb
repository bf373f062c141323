# frozen_string_literal: true

module Spate
  module Server
    module Rack
      # The callables that an application adds to run after its response.
      class Callbacks
        # finished: env["rack.response_finished"], called in reverse order with the environment, the response and an
        # error. after: env["rack.after_reply"] of puma, called without arguments.
        attr_reader :finished, :after

        def initialize
          @finished = []
          @after = []
        end

        def empty? = @finished.empty? && @after.empty?

        # Runs each callable once. The block gets their errors.
        def run(env, status, headers, error, &report)
          @finished.reverse_each { |callable| attempt(report) { callable.call(env, status, headers, error) } }
          @after.each { |callable| attempt(report) { callable.call } }
          @finished.clear
          @after.clear
        end

        private

        def attempt(report)
          yield
        rescue StandardError => e
          report.call(e)
        end
      end
    end
  end
end
