# frozen_string_literal: true

require "rbconfig"
require "support/measure"
require "support/npm_tools"
require "support/peers"

module Benchmark
  module JS
    # A tool that restores a lockfile. Each case is a method that prepares a project and measures one run.
    class Tool
      ARGUMENTS = {
        "spate" => %w[js --quiet --ignore-scripts],
        "pnpm" => %w[install --frozen-lockfile --ignore-scripts --silent],
        "bun" => %w[install --frozen-lockfile --ignore-scripts --silent],
        "npm" => %w[ci --ignore-scripts --no-audit --no-fund --silent]
      }.freeze
      # Used when all is in place, because npm ci would remove and reinstall everything.
      UNCHANGED = { "npm" => %w[install --ignore-scripts --no-audit --no-fund --silent] }.freeze

      # A direct dependency in both lockfiles.
      DEPENDENCY = "express"

      attr_reader :title, :samples, :folder, :home

      # shared: whether to use a global virtual store. launcher: of another version of Spate, or nil. home: of a tool
      # that has restored, or nil.
      def initialize(name, lockfile, workspace, title: name, shared: false, launcher: nil, home: nil)
        @name = name
        @lockfile = lockfile
        @workspace = workspace
        @title = title
        @shared = shared
        @launcher = launcher
        @home = home
        @arguments = ARGUMENTS.fetch(name)
        @samples = []
      end

      def spate? = @name == "spate"

      # Measures a run with nothing but the lockfile.
      def cold
        prepare(@workspace.home)
        run
      end

      # Measures a run with the tool's caches from an earlier restore, without node_modules.
      def full
        @home ||= @workspace.home.tap do |home|
          prepare(home)
          restore
        end
        prepare(@home)
        run
      end

      # Measures a second restore of the same project. Its node_modules is moved away; the tool's records remain.
      def again
        begin_once
        File.rename("#{@folder}/node_modules", @workspace.fresh("aside"))
        run
      end

      # Measures a run when all packages are in place.
      def nothing
        begin_once
        @arguments = UNCHANGED.fetch(@name, @arguments)
        run
      end

      # Counts the system calls of a run like #full, after it: { name => count }.
      def calls
        prepare(@home)
        log = "#{@folder}.strace"
        system(@env, "strace", "-f", "-c", "-o", log, *command, chdir: @folder, out: File::NULL, err: File::NULL) ||
          raise("#{@title} failed under strace")
        File.readlines(log).map(&:split).select { |fields| fields.first.to_s.match?(/\A\d+\.\d+\z/) }
            .to_h { |fields| [fields.last, fields[3].to_i] }.except("total")
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
        program = spate? ? @launcher || Peers.launcher : NpmTools.path(@name)
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

        # Drops the sample if the tool did not use the requested global virtual store.
        @samples << sample unless @shared && inside?
      end
    end
  end
end
