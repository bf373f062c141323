# frozen_string_literal: true

require "tmpdir"

module Spate
  module Gemfile
    # A child process in which Bundler evaluates a Gemfile, once, under an ear. Where nothing can be heard it runs all
    # the same, and what it says is not for keeping.
    class Observation
      SCRIPT = File.expand_path("child/main.rb", __dir__)
      # The child's file descriptor for its report; what the Gemfile prints goes elsewhere.
      REPORT = 3

      # told: Hash of plain values (child/run.rb), nil where the child did not get that far. printed: what the Gemfile
      # printed. signal: the number of the one that ended the child, or nil. heard: Ear::Heard, nil where nobody heard.
      Result = Struct.new(:told, :printed, :signal, :heard)

      # Why nothing can be heard here (String), nil where it can.
      def self.obstacle
        require_relative "../ear"
        reason = Ear.available?
        "nothing can be heard here: #{reason}" unless reason == true
      end

      # environment: as the user's shell had it. wanted: :verdict or :standin (both). flags: ["name=value"].
      def initialize(location, environment, wanted, flags: [])
        @location = location
        @environment = environment
        @wanted = wanted
        @flags = flags
      end

      # Result. folder: where the child runs. Once more where it crashes: Ruby 3.1.2 does so now and then.
      def call(folder: @location.root)
        result = evaluate(folder)
        result.signal && !@cancelled ? evaluate(folder) : result
      end

      # Ends the child, whose answer nobody waits for any more.
      def cancel
        @cancelled = true
        Process.kill(:TERM, @pid) if @pid
      rescue Errno::ESRCH
        nil
      end

      private

      def evaluate(folder)
        return run(folder, nil) if Observation.obstacle

        # Ruby's own library changes with Ruby alone.
        own = RbConfig::CONFIG.values_at("rubylibdir", "rubyarchdir").compact
        heard = Ear.hear(ignore: own) { |ear| run(folder, ear) }
        heard.value.tap { |result| result.heard = heard }
      end

      def run(folder, ear)
        report, report_end = IO.pipe(binmode: true)
        noise, noise_end = IO.pipe(binmode: true)
        channels = { REPORT => report_end, %i[out err] => noise_end, in: File::NULL, **(ear ? ear.options : {}) }
        @pid = Process.spawn(variables(ear), Layout::Ruby.path, "--disable-gems", SCRIPT, *arguments(ear),
                             chdir: folder, close_others: true, unsetenv_others: true, **channels)
        cancel if @cancelled
        [report_end, noise_end].each(&:close)
        readers = [report, noise].map { |pipe| Thread.new { pipe.read }.tap { |one| one.report_on_exception = false } }
        texts = readers.map(&:value)
        _, status = Process.wait2(@pid)
        @pid = nil
        Result.new(*understood(*texts), status.termsig)
      ensure
        [report, report_end, noise, noise_end].each { |pipe| pipe&.close }
      end

      def understood(report, printed)
        [(Marshal.load(report) unless report.empty?), printed] # rubocop:disable Security/MarshalLoad -- our own child's
      rescue ArgumentError, TypeError
        [nil, printed]
      end

      def arguments(ear)
        [ear ? Ear.binding_path : "-", @location.gemfile, @location.lockfile, @wanted.to_s,
         named, *@flags]
      end

      # BUNDLE_GEMFILE as the Gemfile finds it when the user's Bundler evaluates: `bundle` itself makes it a whole path.
      def named
        name = @environment["BUNDLE_GEMFILE"].to_s
        @wanted == :verdict && !name.empty? ? File.expand_path(name) : name
      end

      def variables(ear)
        set = { "BUNDLE_GEMFILE" => @location.gemfile }
        @environment.merge(ear ? ear.environment(set, @environment) : set)
      end
    end
  end
end
