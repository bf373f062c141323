# frozen_string_literal: true

require "rbconfig"
require "support/measure"
require "support/npm_tools"
require "support/peers"

module Benchmark
  module JS
    # One way to restore a lockfile: its command and the state each run starts with.
    class Tool
      ARGUMENTS = {
        "spate" => %w[js --quiet --ignore-scripts],
        "pnpm" => %w[install --frozen-lockfile --ignore-scripts --silent],
        "bun" => %w[install --frozen-lockfile --ignore-scripts --silent],
        "npm" => %w[ci --ignore-scripts --no-audit --no-fund --silent]
      }.freeze
      # npm ci removes everything and begins again; npm install does nothing if there is nothing to do.
      UNCHANGED = { "npm" => %w[install --ignore-scripts --no-audit --no-fund --silent] }.freeze

      # A package that both lockfiles have at the top.
      DEPENDENCY = "express"

      attr_reader :title, :samples, :folder

      # shared: into a global virtual store.
      def initialize(name, lockfile, workspace, title: name, shared: false)
        @name = name
        @lockfile = lockfile
        @workspace = workspace
        @title = title
        @shared = shared
        @arguments = ARGUMENTS.fetch(name)
        @samples = []
      end

      def spate? = @name == "spate"

      # Only the lockfile exists.
      def cold
        prepare(@workspace.home)
        run
      end

      # The tool's caches from an earlier restore, and no node_modules.
      def full
        @home ||= @workspace.home.tap do |home|
          prepare(home)
          restore
        end
        prepare(@home)
        run
      end

      # The same project again, with everything the tool remembers of it. Its node_modules is moved away.
      def again
        begin_once
        File.rename("#{@folder}/node_modules", @workspace.fresh("aside"))
        run
      end

      # All packages are in place.
      def nothing
        begin_once
        @arguments = UNCHANGED.fetch(@name, @arguments)
        run
      end

      def files = @files ||= @workspace.count("#{@folder}/node_modules")

      private

      def begin_once
        return if @home

        prepare(@home = @workspace.home)
        restore
      end

      def prepare(home)
        @env = @workspace.env(home)
        @folder = @workspace.project(@name, @lockfile, home, shared: @shared)
        @files = nil
      end

      def command
        program = spate? ? Peers.launcher : NpmTools.path(@name)
        [program, *@arguments]
      end

      def inside? = File.realpath("#{@folder}/node_modules/#{DEPENDENCY}").start_with?(File.realpath(@folder))

      def restore = Measure.sample(@env, command, @folder)

      # Raises if a run restored nothing.
      def run
        @workspace.settle_disk
        row = Measure::Row.new(env: @env, command: command, folder: @folder, samples: [])
        sample = Measure.precise(row)
        raise "#{@title} left no node_modules" unless File.exist?("#{@folder}/node_modules/#{DEPENDENCY}/package.json")

        # Drops the sample if a requested global virtual store was not made.
        @samples << sample unless @shared && inside?
      end
    end
  end
end
