# frozen_string_literal: true

require "tmpdir"

module Spate
  module Profile
    # Runs a command with the probe loaded, until it exits.
    class Run
      PROBE = "#{__dir__}/probe.rb".freeze
      LIBRARY = File.expand_path("../..", __dir__)

      # The Process::Status of the command, or nil before `call`.
      attr_reader :status

      # command: arguments as for `spate exec`. plain: runs `bundle exec` instead of `spate exec`. env: the user's
      # environment.
      def initialize(command, plain: false, env: ENV)
        @command = command
        @plain = plain
        @env = env.to_h
      end

      # Returns a Trace. Raises NoTrace. The command uses the streams and signals of this process.
      def call
        Dir.mktmpdir("spate-profile-") do |folder|
          file = "#{folder}/stamps"
          started_at = Time.now
          run(file)
          raise NoTrace, @command unless File.size?(file)

          stamps = Marshal.load(File.binread(file)) # rubocop:disable Security/MarshalLoad -- from a child of our own
          Trace.new(stamps, command: @command, mode: @plain ? "bundle exec" : "spate exec", at: started_at.to_i)
        end
      end

      private

      def run(file)
        words, more = @plain ? plain : spate
        more = more.merge("SPATE_PROFILE" => file,
                          "SPATE_PROFILE_START" => Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond).to_s)
        pid = Process.spawn(@env.merge(more), *words, unsetenv_others: true)
        @status = wait(pid)
      end

      # Ignores Ctrl-C until the command has ended, since the terminal also sends it to the command.
      def wait(pid)
        before = Signal.trap("INT") { nil }
        Process.wait2(pid).last
      ensure
        Signal.trap("INT", before || "DEFAULT")
      end

      def plain
        probe = "-r#{PROBE}"
        [%w[bundle exec] + @command, { "RUBYOPT" => [probe, @env["RUBYOPT"]].compact.join(" ") }]
      end

      # The command line with which `spate exec` finally runs the program. Used directly, so that Ruby starts only once.
      def spate
        ruby = [Util::Ruby.path, "--disable-gems", "-r#{PROBE}"]
        if ["ruby", Util::Ruby.path].include?(@command.first)
          return [[*ruby, "-r#{Boot::Exec::Children::FILE}", *@command.drop(1)],
                  { Boot::Exec::Children::RUBY => Boot::Exec::Children.ruby }]
        end

        [[*ruby, *libraries, File.expand_path("../exe/spate", LIBRARY), "exec", "--", *@command],
         Boot::Exec::Heap.environment(@env, @command)]
      end

      # Options for the folders of Spate's library and its extension, which may differ.
      def libraries
        ($LOAD_PATH.map(&:to_s) & Boot::Background::RubyOptions.load_path).map { |path| "-I#{path}" }
      end
    end
  end
end
