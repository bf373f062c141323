# frozen_string_literal: true

require "tmpdir"

module Spate
  module Server
    module Profile
      # One signal starts a profile of a running server, the next one writes it. SIGURG: nobody sends it by chance, and
      # a process that does not wait for it ignores it, so one sent to the wrong process does no harm.
      module Signals
        NAME = "URG"
        # A profile that somebody forgot to stop ends after so many seconds.
        SECONDS = 60

        # path: profiles are written beside it, with the process's number and a count. The default lies in the system's
        # folder for temporary files: the folder that is served must not get them. log: called with a line.
        def self.install(path = nil, rate: RATE, engine: nil, seconds: SECONDS, log: nil)
          path ||= File.join(Dir.tmpdir, "spate-serve.html")
          Format.check(path)
          path = File.expand_path(path)
          # A handler must not wait; a thread may.
          Signal.trap(NAME) do
            Thread.new { toggle(path, log, rate: rate, engine: engine, seconds: seconds) }.name = "spate-profile-signal"
          end
        end

        def self.toggle(path, log, **options)
          if Profile.running?
            Profile.stop_and_tell(log)
          else
            Profile.start(OutputFile.new(path, pid: true, number: true), **options, log: log)
            log&.call("profile started; SIG#{NAME} again, or #{options[:seconds]} seconds, write it")
          end
        rescue StandardError => e
          log&.call("profile: #{e.message}")
        end
        private_class_method :toggle
      end
    end
  end
end
