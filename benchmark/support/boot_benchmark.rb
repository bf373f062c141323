# frozen_string_literal: true

require "rubygems"
require "spate"
require "support/boot_app"
require "support/compile_caches"
require "support/boot_parts"
require "support/boot_synthetic"
require "support/boot_targets"

module Benchmark
  # Runs all selected parts for all selected applications. Writes a table of the goals, then a table for each part.
  class BootBenchmark
    APPS = %w[large small lobsters human-essentials].freeze
    PARTS = %w[development production cold exec build first requests].freeze

    def initialize(apps:, layouts:, parts:, pairs:, rows:, result:)
      @apps = apps.empty? ? APPS : apps
      @layouts = layouts.empty? ? BootApp::LAYOUTS : layouts
      @parts = parts.empty? ? PARTS : parts
      @pairs = pairs
      @rows = rows
      @result = result
    end

    def run
      targets = BootTargets.new
      tables = applications.flat_map { |app| tables(app, targets) }
      Table.write(@result, [targets.table, *tables])
    end

    def prepare = applications.each { |app| puts "#{app.folder}: #{app.gems} gems" }

    def synthetic
      Table.write("#{@result}-synthetic", BootSynthetic.new(pairs: @pairs).tables)
    end

    private

    def applications
      @apps.product(@layouts).filter_map do |name, layout|
        app = BootApp.new(name, layout: layout)
        next warn("#{name}: not run, no folder in #{Spate::TestApps::FOLDER}") unless app.available?

        app.prepare
      end
    end

    def tables(app, targets)
      parts = BootParts.new(app, pairs: @pairs, only: @rows, targets: targets)
      (app.generated? ? @parts : @parts & %w[development]).filter_map do |part|
        parts.public_send(part)&.tap { |table| warn table.to_s }
      end
    end
  end
end
