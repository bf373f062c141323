# frozen_string_literal: true

require "yaml"
require_relative "machine"

module CI
  # A GitLab pipeline. Supports what the recipes use.
  class Pipeline
    KEYS = %w[default variables].freeze
    JOB = %w[script variables id_tokens].freeze

    # text: YAML. protected: {"NAME" => "value"}, files: the same for variables of type file; both are for protected
    # branches. The block accepts a job's name and returns a Machine.
    def initialize(text, protected: {}, files: {}, &machine)
      @tree = YAML.safe_load(text)
      @protected = protected
      @files = files
      @machine = machine
    end

    # Returns {name of a job => Machine or Failed}. Only main is protected.
    def run(branch:, repository:, &during)
      @tree.except(*KEYS).to_h do |name, job|
        raise ArgumentError, "what is #{(job.keys - JOB).join(", ")} in a job?" if (job.keys - JOB).any?

        [name, perform(name, job, branch, repository, &during)]
      end
    end

    private

    # Runs all lines in one shell, which exits at the first failure.
    def perform(name, job, branch, repository, &during)
      machine = @machine.call(name)
      machine.check_out(repository)
      env = { "CI" => "true", "GITLAB_CI" => "true", "CI_PROJECT_DIR" => machine.work, "CI_COMMIT_BRANCH" => branch,
              "CI_COMMIT_REF_PROTECTED" => (branch == "main").to_s, **(branch == "main" ? secrets(machine) : {}),
              **@tree.fetch("variables", {}), **job.fetch("variables", {}), **identities(job, branch) }
      machine.run(job.fetch("script").join("\n"), shell: %w[sh -e], env: env, &during)
      machine
    rescue Failed => e
      e
    end

    def secrets(machine)
      files = @files.to_h do |name, content|
        path = "#{machine.temporary}/#{name}"
        File.write(path, content)
        [name, path]
      end
      @protected.merge(files)
    end

    def identities(job, branch)
      job.fetch("id_tokens", {}).transform_values { |facts| "#{branch} for #{facts.fetch("aud")}" }
    end
  end
end
