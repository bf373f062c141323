# frozen_string_literal: true

module Spate
  module Server
    # Where does the server's time go? A recording of its stacks, written as stackprof's dump, the Firefox profiler's
    # JSON or a page that needs no tool.
    #
    #     Engine        takes samples: our own sampler, stackprof or vernier
    #     Recording     the samples
    #     Format        how they are written and read
    #     Session       a profile from its start to its file
    #     Signals       one that starts it, and writes it
    module Profile
      autoload :Engine, "spate/server/profile/engine"
      autoload :Format, "spate/server/profile/format"
      autoload :OutputFile, "spate/server/profile/output_file"
      autoload :Page, "spate/server/profile/page"
      autoload :Recording, "spate/server/profile/recording"
      autoload :SafeMarshal, "spate/server/profile/safe_marshal"
      autoload :Session, "spate/server/profile/session"
      autoload :Signals, "spate/server/profile/signals"
      autoload :Summary, "spate/server/profile/summary"
      autoload :Tree, "spate/server/profile/tree"
      autoload :Native, "spate/server/native/profile"

      # Samples for a second of CPU time that are asked for; the kernel's own tick may give fewer.
      RATE = 1000

      # A file that holds no profile, an ending that names no format.
      class Unreadable < Error
        def initialize(path, reason)
          super("#{path}: #{reason}", hint: "profiles end with #{Format::ENDINGS.join(", ")}")
        end
      end

      # Something was asked for that is not there, or twice.
      class Unable < Error
      end

      # Of this process; nil where none runs.
      @session = nil

      class << self
        # path: the file; its ending says the format. rate: samples a second of CPU time. engine: "stackprof",
        # "vernier", "own", or nil for the first of them that is there. seconds: it ends by itself then, and log is
        # called with a line that says so. Unable where one runs.
        def start(path, rate: RATE, engine: nil, seconds: nil, log: nil)
          raise Unable.new("a profile is running", hint: "stop it first") if running?

          @session&.stop # a parent's, in its fork
          destination = path.is_a?(OutputFile) ? path : OutputFile.new(path)
          @session = Session.new(destination, Engine.choose(engine, destination.ending), rate: rate, seconds: seconds,
                                                                                         log: log)
          @session.start
        end

        # Writes the file, and answers its path; nil where none runs.
        def stop
          session, @session = @session, nil
          session&.stop
        end

        # The same; the log has the path, or why there is none.
        def stop_and_tell(log)
          path = stop
          log&.call("profile written: #{path}") if path
        rescue SystemCallError, IOError => e
          log&.call("profile: #{e.message}")
        end

        # What was recorded, without a file; nil where none runs.
        def take
          session, @session = @session, nil
          session&.take
        end

        # Whether it is the running one.
        def session?(session) = @session.equal?(session)

        def running? = !@session.nil? && @session.here?

        # For the command line, in every process that serves, after its fork: starts what --profile asked for, has the
        # signal wait. options: CommandLine::ProfileOptions' Hash or nil. log: called with a line.
        def attach(options, worker: false, log: nil)
          options ||= {}
          Signals.install(options[:on_signal], rate: options[:rate] || RATE, engine: options[:engine],
                                               seconds: options[:seconds] || Signals::SECONDS, log: log)
          path = options[:profile] or return
          start(OutputFile.new(path, pid: worker), rate: options[:rate] || RATE, engine: options[:engine])
        end

        # Reads a profile and writes it in the other file's format. Unreadable, Unable.
        def convert(from, to)
          Format.check(to)
          recording = using(from, "read") { Format.read(from) }
          using(to, "written") { Format.write(recording, to) }
          to
        end

        private

        def using(path, how)
          yield
        rescue SystemCallError => e
          raise Unable.new("#{path} cannot be #{how}: #{Error.reason(e)}", hint: "check the path, and whose it is")
        end
      end
    end
  end
end
