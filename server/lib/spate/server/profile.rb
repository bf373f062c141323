# frozen_string_literal: true

require "json"

module Spate
  module Server
    # Profiles a running server with vernier or stackprof, and writes the JSON of the gem, or a page with a flame graph.
    module Profile
      autoload :OutputFile, "spate/server/profile/output_file"
      autoload :Page, "spate/server/profile/page"
      autoload :Recording, "spate/server/profile/recording"
      autoload :Session, "spate/server/profile/session"
      autoload :Signals, "spate/server/profile/signals"
      autoload :Stackprof, "spate/server/profile/stackprof"
      autoload :Vernier, "spate/server/profile/vernier"

      # Samples per second.
      RATE = 1000
      ENDINGS = %w[.json .html].freeze
      # Names of the profilers, in order of preference. A profiler has these methods:
      #
      #     name, mode            "vernier"; "wall" or "cpu"
      #     start(interval)       in microseconds
      #     stop(facts)           returns a Hash for JSON that includes the facts
      PROFILERS = %w[vernier stackprof].freeze

      # Raised for a file with an unknown extension, or without a profile in it.
      class Unreadable < Error
        # @!visibility private
        def initialize(path, reason, hint = "use a file that ends with #{ENDINGS.join(" or ")}")
          super("#{path}: #{reason}", hint: hint)
        end
      end

      # Raised when profiling cannot start: another profile is running, or the gem is not installed.
      class Unable < Error
      end

      # The Session of this process, or nil.
      @session = nil

      class << self
        # Starts a profile of this process.
        #
        # @param path [String] the file; its extension selects the format: .json or .html
        # @param rate [Integer] samples per second
        # @param profiler [String, nil] "vernier", "stackprof", or nil for the first one installed
        # @param seconds [Numeric, nil] stops after this time
        # @param log [#call, nil] called with a line when the profile stops
        # @return [Session]
        # @raise [Unable, Unreadable]
        def start(path, rate: RATE, profiler: nil, seconds: nil, log: nil)
          raise Unable.new("a profile is running", hint: "stop it first") if running?

          destination = path.is_a?(OutputFile) ? path : OutputFile.new(path)
          profiler = choose(profiler)
          forked(profiler) if @session
          @session = Session.new(destination, profiler, rate: rate, seconds: seconds, log: log).start
        end

        # Ends the profile and writes its file.
        #
        # @return [String, nil] the path; nil when no profile is running
        def stop
          session, @session = @session, nil
          session.stop if session&.here?
        end

        # @!visibility private

        # Like stop, but logs the path or the error.
        def stop_and_log(log)
          path = stop
          log&.call("profile written: #{path}") if path
        rescue SystemCallError, IOError => e
          log&.call("profile: #{Error.reason(e)}")
        end

        def session?(session) = @session.equal?(session)

        # Whether this process is profiled. A fork does not continue the profile of its parent.
        def running? = !@session.nil? && @session.here?

        # Loads the profiler that the options need, so that the command fails before it starts to serve.
        def prepare(options)
          choose(options[:profiler]) if options&.values_at(:profile, :on_signal)&.any?
        end

        # Called by each serving process, after its fork. options: the Hash of the command's --profile options, or nil.
        # log: called with a line.
        def attach(options, worker: false, log: nil)
          options ||= {}
          settings = { rate: options[:rate] || RATE, profiler: options[:profiler] }
          Signals.install(options[:on_signal], seconds: options[:seconds] || Signals::SECONDS, log: log, **settings)
          start(OutputFile.new(options[:profile], pid: worker), **settings) if options[:profile]
        end

        # Converts a .json file to a page. Raises Unreadable, Unable.
        def convert(from, to)
          hint = "the profile comes first: --profile-convert FROM.json,TO.html"
          raise Unreadable.new(from, "not a .json file", hint) unless ending(from) == ".json"
          raise Unreadable.new(to, "not a .html file", hint) unless ending(to) == ".html"

          recording = using(from, "read") { Recording.read(from) }
          using(to, "written") { OutputFile.new(to).write { |file| file.write(Page.new(recording).to_s) } }
          to
        end

        # Returns the path's extension. Raises Unreadable for an unknown format.
        def ending(path)
          ending = File.extname(path)
          ENDINGS.include?(ending) ? ending : raise(Unreadable.new(path, "unknown format #{ending.inspect}"))
        end

        private

        def choose(name)
          names = name ? [name] : PROFILERS
          names.each { |one| load(one)&.then { |profiler| return profiler } }
          raise Unable.new("profiling needs the gem #{names.join(" or ")}, which cannot be loaded",
                           hint: install(name || (RUBY_VERSION >= "3.2.1" ? "vernier" : "stackprof")))
        end

        # Rejects vernier in a fork of a profiled process, because it would wait for a thread that the fork does not
        # have.
        def forked(profiler)
          return if profiler.name != "vernier"

          raise Unable.new("vernier cannot start in a fork of a process that it profiles",
                           hint: "use stackprof for forked processes")
        end

        # Returns nil when the gem is not installed, or not in the application's bundle.
        def load(name)
          name == "vernier" ? Vernier.new : Stackprof.new
        rescue LoadError
          nil
        end

        def install(name) = defined?(::Bundler.definition) ? "bundle add #{name}" : "gem install #{name}"

        def using(path, how)
          yield
        rescue SystemCallError => e
          raise Unable.new("#{path} cannot be #{how}: #{Error.reason(e)}", hint: "check the path and its permissions")
        end
      end
    end
  end
end
