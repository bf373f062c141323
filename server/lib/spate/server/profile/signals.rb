# frozen_string_literal: true

require "tmpdir"

module Spate
  module Server
    module Profile
      # The first signal starts a profile of a running server, the next one writes it. The signal is SIGURG, because
      # processes ignore it by default, so sending it to the wrong process is harmless.
      module Signals
        NAME = "URG"
        # Seconds after which a profile ends without a second signal.
        SECONDS = 60

        # Installs the signal handler.
        #
        # @param path [String, nil] profiles are written beside it, with the process's id and a count; nil for the
        #   system's folder for temporary files, so that profiles do not appear in the served folder
        # @param rate [Integer] samples per second
        # @param profiler [String, nil] as for {Profile.start}
        # @param seconds [Numeric] after which a profile without a second signal ends
        # @param log [#call, nil] called with a line
        # @return [void]
        # @raise [Unreadable] for an unknown extension
        def self.install(path = nil, rate: RATE, profiler: nil, seconds: SECONDS, log: nil)
          path ||= File.join(Dir.tmpdir, "spate-serve.html")
          Profile.ending(path)
          path = File.expand_path(path)
          # A signal handler must not block, but a thread may.
          Signal.trap(NAME) do
            thread = Thread.new { toggle(path, log, rate: rate, profiler: profiler, seconds: seconds) }
            thread.name = "spate-profile-signal"
          end
        end

        def self.toggle(path, log, **options)
          if Profile.running?
            Profile.stop_and_log(log)
          else
            Profile.start(OutputFile.new(path, pid: true, number: true), **options, log: log)
            log&.call("profile started; SIG#{NAME} again, or #{options[:seconds]} seconds, write it")
          end
        rescue StandardError => e
          log&.call("profile: #{e.message}#{"; hint: #{e.hint}" if e.is_a?(Error) && e.hint}")
        end
        private_class_method :toggle
      end
    end
  end
end
