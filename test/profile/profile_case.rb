# frozen_string_literal: true

require "test_helper"
require "json"
require "support/project"

module Spate
  # An application with three gems: one is slow, one allocates many objects, one does nothing.
  class ProfileCase < Minitest::Test
    GEMS = {
      "slow-gem" => "clock = -> { Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) }\n" \
                    "enough = clock.call + 0.2\nnil until clock.call > enough\nrequire 'greedy_gem'\n",
      "greedy-gem" => "$kept = Array.new(60_000) { +'text' * 3 }\nGC.start\n",
      "idle-gem" => "require_relative 'idle_gem/inside'\n"
    }.freeze
    PROGRAM = <<~'RUBY'
      #!/usr/bin/env ruby
      require "slow_gem"
      require "idle_gem"
      load File.expand_path("part.rb", __dir__)
      begin
        require "no/such/thing"
      rescue LoadError
        puts "none"
      end
      puts "done #{ARGV.inspect} #{require("objspace").inspect} #{$PROGRAM_NAME}"
      exit ARGV.first.to_i
    RUBY

    def setup
      super
      gemfile = GEMS.keys.map { |name| "gem #{name.dump}, path: \"gems/#{name}\"\n" }.join
      @project = TestProject.new("#{folder}/app", gemfile)
      GEMS.each { |name, source| gem(name, source) }
      write("app/gems/idle-gem/lib/idle_gem/inside.rb", "module IdleGem; end\n")
      write("app/part.rb", "PART = 1\n")
      write("app/program.rb", PROGRAM, mode: 0o755)
      project.lock
    end

    attr_reader :project

    # Profiles the program. Returns [output, exit status, data].
    def profile(*words, command: ["./program.rb", "0"], **env)
      output, status = project.spate("boot", "profile", *words, "--", *command, **env)
      data = project.path("spate-profile.json")
      [output, status.exitstatus, File.exist?(data) ? JSON.parse(File.read(data))["runs"] : nil]
    end

    # The frames of a run as Hashes.
    def frames(run)
      run["frames"].map do |row|
        frame = run["columns"].zip(row).to_h
        %w[kind name path gem outcome].each { |key| frame[key] &&= run["texts"][frame[key]] }
        frame
      end
    end

    private

    def gem(name, source)
      feature = name.tr("-", "_")
      write("app/gems/#{name}/#{name}.gemspec", <<~RUBY)
        Gem::Specification.new do |spec|
          spec.name = #{name.dump}
          spec.version = "1.0"
          spec.summary = spec.name
          spec.authors = ["nobody"]
          spec.files = ["lib/#{feature}.rb"]
        end
      RUBY
      write("app/gems/#{name}/lib/#{feature}.rb", source)
    end
  end
end
