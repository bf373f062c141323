# frozen_string_literal: true

require "yaml"
require_relative "expression"
require_relative "machine"

module CI
  # A GitHub Actions workflow. Supports what the recipes use.
  class Workflow
    KEYS = %w[name on permissions env jobs].freeze
    JOB = %w[if needs runs-on environment permissions env steps].freeze
    STEP = %w[name uses run env].freeze
    # If an `if` contains one of these functions, it is evaluated even after a failed job.
    ASKED_ANYWAY = /\b(?:always|cancelled|failure)\(\)/

    # text: YAML. environments: {"builds" => {branches: ["main"], secrets: {"NAME" => "value"}}}. identity: variables of
    # a job with permission to request its identity. The block accepts a job's name and returns a Machine.
    def initialize(text, environments:, identity: {}, &machine)
      @tree = YAML.safe_load(text).transform_keys { |key| key == true ? "on" : key } # YAML 1.1 has `on` for true
      only(@tree, KEYS)
      @environments = environments
      @identity = identity
      @machine = machine
    end

    # Returns {name of a job => Machine, nil if it was skipped, or Failed}. event: "push" or "pull_request". Calls the
    # block with the process ID of each script.
    def run(event:, branch:, repository:, &during)
      return {} unless begins?(event, branch)

      @repository = repository
      @facts = { "github.event_name" => event,
                 "github.ref" => event == "push" ? "refs/heads/#{branch}" : "refs/pull/7/merge" }
      @tree.fetch("jobs").each_with_object({}) do |(name, job), done|
        only(job, JOB)
        done[name] = due?(job, done) ? perform(name, job, &during) : nil
      end
    end

    private

    def only(hash, keys)
      strange = hash.keys - keys
      raise ArgumentError, "what is #{strange.join(", ")} in a workflow?" if strange.any?
    end

    def begins?(event, branch)
      filter = @tree.fetch("on").fetch(event) { return false } || {}
      only(filter, %w[branches])
      !filter.key?("branches") || filter["branches"].include?(branch)
    end

    def due?(job, done)
      condition = job.fetch("if", "success()")
      before = Array(job["needs"]).map { |name| done.fetch(name) }
      good = before.all?(Machine)
      return false unless good || condition.match?(ASKED_ANYWAY)

      context = @facts.merge("success()" => good, "cancelled()" => false, "always()" => true, "failure()" => !good)
      Expression.value(condition, context)
    end

    def perform(name, job, &during)
      machine = @machine.call(name)
      context = @facts.merge(secrets(job), "runner.temp" => machine.temporary)
      outer = { "CI" => "true", "GITHUB_ACTIONS" => "true", "RUNNER_TEMP" => machine.temporary,
                **(may_identify?(job) ? @identity : {}), **env(@tree, context), **env(job, context) }
      job.fetch("steps").each { |step| step(machine, step, outer, context, &during) }
      machine
    rescue Failed => e
      e
    end

    def step(machine, step, outer, context, &during)
      only(step, STEP)
      return machine.run(step["run"], env: outer.merge(env(step, context)), &during) if step["run"]

      case step.fetch("uses")
      when %r{\Aactions/checkout@v\d+\z} then machine.check_out(@repository)
      when %r{\Aruby/setup-ruby@v\d+\z} then nil # the Ruby that runs the test
      else raise ArgumentError, "what is #{step["uses"]}?"
      end
    end

    def env(level, context) = level.fetch("env", {}).transform_values { |text| Expression.expand(text, context) }

    # The secrets of the job's environment. Raises Failed if the environment excludes the branch.
    def secrets(job)
      return {} unless (name = job["environment"])

      environment = @environments.fetch(name)
      allowed = environment.fetch(:branches).map { |branch| "refs/heads/#{branch}" }
      raise Failed, "environment #{name} is not for this branch" unless allowed.include?(@facts["github.ref"])

      environment.fetch(:secrets).transform_keys { |key| "secrets.#{key}" }
    end

    def may_identify?(job) = job.fetch("permissions") { @tree.fetch("permissions", {}) }["id-token"] == "write"
  end
end
