# frozen_string_literal: true

require "rubygems"
require "support/measure"
require "support/app_workspace"
require "support/install_scenarios"

module Benchmark
  # Runs all selected scenarios for all selected applications, with one table each.
  class InstallBenchmark
    # result: name of the file to which the tables are written.
    def initialize(apps:, scenarios:, pairs:, scint:, result:)
      @apps = apps
      @scenarios = scenarios
      @pairs = pairs
      @scint = scint
      @result = result
    end

    def run
      system("make", "-s", "-C", File.expand_path("../floor", __dir__)) || abort("the floors could not be built")
      FileUtils.mkdir_p(Peers::WORK)
      Table.write(@result, @apps.flat_map { |name| tables(name) })
    ensure
      Peers.empty_trash
    end

    private

    def tables(name)
      workspace = AppWorkspace.new(name)
      workspace.prepare
      scenarios = InstallScenarios.new(workspace, pairs: @pairs, scint: @scint)
      @scenarios.map do |scenario|
        scenarios.public_send(scenario).tap { |table| warn table.to_s }
      end
    ensure
      workspace&.stop
    end
  end
end
