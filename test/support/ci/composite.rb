# frozen_string_literal: true

require "digest"
require "yaml"
require_relative "expression"
require_relative "machine"

module CI
  # A composite action of GitHub. Supports what .github/actions uses.
  class Composite
    ROOT = %w[name description inputs runs].freeze
    STEP = %w[name id if shell env uses with run].freeze
    CACHE = %w[path key restore-keys].freeze

    # The keys of the caches that were restored and saved.
    attr_reader :restored, :saved

    # text: YAML. kept: the folder for caches, which jobs share.
    def initialize(text, kept:)
      @tree = YAML.safe_load(text)
      @kept = kept
      @restored = []
      @saved = []
      only(@tree, ROOT)
      raise ArgumentError, "what is #{@tree.dig("runs", "using")}?" unless @tree.dig("runs", "using") == "composite"
    end

    # Runs the steps on a Machine in a job with these variables, then the block with the job's own steps, and saves the
    # caches at the end. Raises Failed.
    def run(machine, inputs = {}, env: {})
      @machine = machine
      @context = context(inputs)
      @due = []
      outer = { "CI" => "true", "GITHUB_ACTIONS" => "true", **env }
      @tree.dig("runs", "steps").each { |step| step(step, outer) }
      yield outer if block_given?
      @due.each { |path, key| save(path, key) }
      machine
    end

    private

    def only(hash, keys)
      strange = hash.keys - keys
      raise ArgumentError, "what is #{strange.join(", ")} in an action?" if strange.any?
    end

    def context(inputs)
      declared = @tree.fetch("inputs")
      only(inputs, declared.keys)
      values = declared.transform_values { |input| input.fetch("default") }.merge(inputs)
      lockfiles = Dir.glob("#{@machine.work}/**/Gemfile.lock").sort.map { |path| File.binread(path) }
      own = { "runner.os" => "Linux", "hashFiles('**/Gemfile.lock')" => Digest::SHA256.hexdigest(lockfiles.join) }
      values.transform_keys { |name| "inputs.#{name}" }.merge(own)
    end

    def step(step, outer)
      only(step, STEP)
      return unless step.fetch("if", "true") == "true" || Expression.value(step["if"], @context)
      return cache(step.fetch("with")) if step["uses"]&.match?(%r{\Aactions/cache@v\d+\z})
      raise ArgumentError, "what is #{step["uses"]}?" unless step["run"] && step["shell"] == "bash"

      outputs = "#{@machine.temporary}/outputs"
      @machine.run(step["run"], env: { **outer, "GITHUB_OUTPUT" => outputs, **expand(step.fetch("env", {})) })
      keep_outputs(step["id"], outputs)
    end

    def expand(hash) = hash.transform_values { |text| Expression.expand(text, @context) }

    def keep_outputs(id, file)
      return unless id

      File.readlines(file, chomp: true).each do |line|
        name, value = line.split("=", 2)
        @context["steps.#{id}.outputs.#{name}"] = value
      end
    end

    # Restores the cache with this key, or the newest whose key begins with a line of `restore-keys`.
    def cache(with)
      only(with, CACHE)
      path, key, prefixes = expand(with).values_at(*CACHE)
      path = path.sub("~", @machine.home)
      found = [key, *newest(prefixes.split("\n"))].find { |name| File.directory?("#{@kept}/#{name}") }
      @due << [path, key] unless found == key
      return unless found

      FileUtils.mkdir_p(File.dirname(path))
      FileUtils.cp_r("#{@kept}/#{found}", path)
      @restored << found
    end

    def newest(prefixes)
      names = Dir.exist?(@kept) ? Dir.children(@kept).sort_by { |name| File.mtime("#{@kept}/#{name}") }.reverse : []
      prefixes.flat_map { |prefix| names.select { |name| name.start_with?(prefix) } }
    end

    def save(path, key)
      FileUtils.mkdir_p(@kept)
      FileUtils.cp_r(path, "#{@kept}/#{key}")
      @saved << key
    end
  end
end
