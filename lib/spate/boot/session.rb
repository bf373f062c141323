# frozen_string_literal: true

module Spate
  module Boot
    # The state of one boot: which parts are active, and why others are not.
    class Session
      autoload :ProcessTime, "#{FOLDER}/session/process_time"

      ENVIRONMENTS = %w[RAILS_ENV RACK_ENV].freeze

      # Programs that start another one: Spate's own, and Ruby: RubyGems sets up a bundle for children (by
      # BUNDLER_SETUP) before Ruby looks for their script.
      PRELIMINARY = %r{(?:/spate|(?:\A|/)ruby[\d.]*)\z}

      class << self
        # The kind of this boot: "rails server", "rake db:migrate", "puma [test]". Programs take words off ARGV, so the
        # first answer stays.
        def kind = @kind ||= kind_of($PROGRAM_NAME, ARGV.first)

        # word: the program's first argument, if any.
        def kind_of(program, word = nil, env: ENV)
          text = [File.basename(program), word].compact.join(" ")
          text = File.basename(program) unless text.match?(%r{\A[\w:. /-]{1,80}\z})
          [text, *environment(env)].join(" ")
        end

        # An error in one line. Spate's own are meant for users and have a hint; of others the class is most useful.
        def reason(error)
          text = error.message.lines.first.to_s.chomp
          return "#{error.class}: #{text}" unless error.respond_to?(:exit_code)

          error.hint ? "#{text}; #{error.hint}" : text
        end

        private

        # Another environment may load other files.
        def environment(env)
          name = ENVIRONMENTS.map { |key| env[key].to_s }.find { |value| value.match?(/\A\w{1,20}\z/) }
          ["[#{name}]"] if name
        end
      end

      attr_reader :switches, :application
      # part (Symbol) => true if it is active, else the reason (String).
      attr_reader :parts
      # Native::CompileCache of this application and its overlay, nil if there is none that may be used.
      attr_accessor :cache, :overlay
      # Whether the Bundler replay is outdated, and should be made again.
      attr_accessor :outdated
      # The environment before any part of the boot changed it (Hash).
      attr_reader :environment
      # Milliseconds since the process started, by the clock and of the processor; nil while the boot lasts.
      attr_reader :wall, :processor
      # Milliseconds of them spent collecting garbage, and slots of each size on the heap then, [] before Ruby 3.3.
      attr_reader :collected, :slots
      # CompileCacheFolder, nil if no cache folder can be determined.
      attr_accessor :caches

      def initialize(switches, application, environment = ENV.to_h)
        @switches = switches
        @application = application
        @environment = environment
        @parts = {}
        Session.kind unless PRELIMINARY.match?($PROGRAM_NAME)
        @time = ProcessTime.new
      end

      # The boot has ended now.
      def over
        @wall, @processor = @time.to_a
        @collected = GC.stat(:time)
        @slots = Exec::Heap::SIZED ? GC.stat_heap.values.map { |size| size[:heap_eden_slots] } : []
      end

      # Whether a part (:loader, :load_path_cache, :replay, ...) is active.
      def on?(part) = @parts[part] == true

      # Runs a part's block, which returns true if the part is active, else why not (String). An error costs a line
      # and that part.
      def part(name, wanted: true)
        @parts[name] = wanted ? yield || "not there" : "turned off"
      rescue StandardError, LoadError, NotImplementedError => e
        @parts[name] = Session.reason(e)
        Log.warn("booting without #{name.to_s.tr("_", " ")}: #{@parts[name]}")
      end

      # Once a boot: the fault of one compile cache is the fault of others.
      def warn_once(text)
        Log.warn(text) unless @warned
        @warned = true
      end

      # The compile cache's data of that name, nil if there is none.
      def data(name) = cache&.data(name)

      # Whether this boot must not write files.
      def readonly? = switches.readonly? || caches.nil? || !caches.writable?
    end
  end
end
