# frozen_string_literal: true

require "test_helper"
require "json"
require "support/project"
require "spate/native/boot"

module Spate
  # An application with a path gem, booted by the real `bundle exec` and by `spate exec`.
  class ExecCase < Minitest::Test
    GEMFILE = <<~RUBY
      gem "local", path: "local"
      gem "rake", Gem::Specification.stubs_for("rake").first.version.to_s if ENV["WITH_RAKE"]
    RUBY
    GEMSPEC = <<~RUBY
      Gem::Specification.new do |spec|
        spec.name = "local"
        spec.version = "1.0"
        spec.summary = "local"
        spec.authors = ["nobody"]
        spec.files = ["lib/local.rb"]
        spec.bindir = "bin"
        spec.executables = ["local-tool"]
      end
    RUBY
    SECONDS = 40

    def setup
      super
      # Without MachineFacts, because tests check which files a boot adds to an empty store.
      @project = TestProject.new(File.join(folder, "app"), GEMFILE, facts: false)
      write("app/local/local.gemspec", GEMSPEC)
      write("app/local/lib/local.rb", "module Local\n  WHERE = __FILE__\n  def self.answer = 42\nend\n")
      @project.lock
    end

    attr_reader :project

    # Runs a program with this Ruby. Returns [output, status] under `bundle exec` and [output, status] under `spate
    # exec`.
    def both(program, *arguments, **env)
      path = write("app/program.rb", "#!/usr/bin/env ruby\n#{program}", mode: 0o755)
      [project.run("bundle", "exec", "./program.rb", *arguments, **env), spate_exec("./program.rb", *arguments, **env)]
    ensure
      @program = path
    end

    def spate_exec(*command, **env) = project.spate("exec", *command, **env)

    # Boots once with the builder enabled and waits for the compile caches.
    def build(*command)
      command = ["ruby", "-e", "require 'local'"] if command.empty?
      output, status = spate_exec(*command, SPATE_BOOT_BACKGROUND: "1")
      assert_predicate status, :success?, output
      wait { cache && unlocked? }
    end

    def cache = Dir["#{project.home}/spate/store/v1/compile-cache/*/boots/*.compiled"].first

    # Spate::Boot.session.parts in a program under `spate exec`.
    def parts(*preparation, **env)
      output, = spate_exec("ruby", "-e", "#{preparation.join(";")}; require 'json'; " \
                                         "puts JSON.generate(Spate::Boot.session.parts)", **env)
      JSON.parse(output.lines.last.to_s)
    rescue JSON::ParserError
      flunk output
    end

    def wait
      limit = Process.clock_gettime(Process::CLOCK_MONOTONIC) + SECONDS
      until yield
        flunk builder_log + "not within #{SECONDS} s" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > limit
        sleep 0.05
      end
    end

    private

    def builder_log
      Dir["#{project.home}/spate/store/v1/compile-cache/*/boots/*.log"].map { |path| File.read(path) }.join
    end

    def unlocked?
      Dir["#{project.home}/spate/store/v1/compile-cache/*/boots/*.lock"].all? do |path|
        File.open(path) { |file| file.flock(File::LOCK_EX | File::LOCK_NB) }
      end
    end
  end
end
