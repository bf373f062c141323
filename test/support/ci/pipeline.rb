# frozen_string_literal: true

require "digest"
require "yaml"
require_relative "machine"

module CI
  # A GitLab pipeline. Supports what the recipes use.
  class Pipeline
    KEYS = %w[default variables].freeze
    JOB = %w[script variables id_tokens].freeze

    # text: YAML. protected: {"NAME" => "value"}, files: the same for variables of type file; both are for protected
    # branches. kept: the folder for the cache of all jobs. The block accepts a job's name and returns a Machine.
    def initialize(text, protected: {}, files: {}, kept: nil, &machine)
      @tree = YAML.safe_load(text)
      @protected = protected
      @files = files
      @kept = kept
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
              **variables(machine, job), **identities(job, branch) }
      with_cache(machine) { machine.run(job.fetch("script").join("\n"), shell: %w[sh -e], env: env, &during) }
      machine
    rescue Failed => e
      e
    end

    def variables(machine, job)
      all = @tree.fetch("variables", {}).merge(job.fetch("variables", {}))
      all.transform_values { |text| text.to_s.gsub("$CI_PROJECT_DIR", machine.work) }
    end

    # Restores the folders of the default cache with this key, and saves them if the job succeeds. GitLab caches only
    # folders in the project.
    def with_cache(machine)
      facts = @tree.dig("default", "cache") or return yield

      key = Digest::SHA256.hexdigest(facts.dig("key", "files").map { |file| File.read("#{machine.work}/#{file}") }.join)
      paths = facts.fetch("paths").to_h { |path| ["#{@kept}/#{key}/#{path}", "#{machine.work}/#{path}"] }
      paths.each { |saved, path| FileUtils.cp_r(saved, path) if File.exist?(saved) }
      yield
      paths.each do |saved, path|
        FileUtils.rm_rf(saved)
        FileUtils.mkdir_p(File.dirname(saved))
        FileUtils.cp_r(path, saved)
      end
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
