# frozen_string_literal: true

module Spate
  module Boot
    # One boot's state: what is used, what is not and why.
    class Session
      ENVIRONMENTS = %w[RAILS_ENV RACK_ENV].freeze

      # Spate's program, which has still to find its own, and Ruby: RubyGems sets a bundle up for children (by
      # BUNDLER_SETUP) before Ruby looks for their script.
      PRELIMINARY = %r{(?:/spate|(?:\A|/)ruby[\d.]*)\z}

      class << self
        # Which boots are alike: "rails server", "rake db:migrate", "puma [test]". Programs take words off ARGV, so the
        # first answer stays.
        def kind = @kind ||= kind_of($PROGRAM_NAME, ARGV.first)

        # Of a program, and the first word that it is given, if any.
        def kind_of(program, word = nil, env: ENV)
          text = [File.basename(program), word].compact.join(" ")
          text = File.basename(program) unless text.match?(%r{\A[\w:. /-]{1,80}\z})
          [text, *environment(env)].join(" ")
        end

        private

        # What another environment loads is not what this one does.
        def environment(env)
          name = ENVIRONMENTS.map { |key| env[key].to_s }.find { |value| value.match?(/\A\w{1,20}\z/) }
          ["[#{name}]"] if name
        end
      end

      attr_reader :switches, :application
      # part (Symbol) => true where it is at work, else the reason (String).
      attr_reader :parts
      # Native::Image of this application and its overlay, nil where there is none that may be used.
      attr_accessor :image, :overlay
      # Whether something changed since the stand-in was made, so that it is to be made again.
      attr_accessor :outdated
      # The environment as it was before anything of the boot changed it (Hash).
      attr_reader :environment
      # What it took from the process' start on, in milliseconds by the clock and of the processor; nil while it lasts.
      attr_reader :wall, :processor
      # What of it was collection (milliseconds), and how many slots of each size the heap then had, [] before Ruby 3.3.
      attr_reader :collected, :slots
      # Spate::Boot::Images, nil where no cache folder can be named.
      attr_accessor :images

      def initialize(switches, application, environment = ENV.to_h)
        @switches = switches
        @application = application
        @environment = environment
        @parts = {}
        Session.kind unless PRELIMINARY.match?($PROGRAM_NAME)
        @stretch = Stretch.new
      end

      # The boot has ended now.
      def over
        @wall, @processor = @stretch.to_a
        @collected = GC.stat(:time)
        @slots = Heap::SIZED ? GC.stat_heap.values.map { |size| size[:heap_eden_slots] } : []
      end

      # Whether a part (:loader, :index, :standin, ...) is at work.
      def on?(part) = @parts[part] == true

      # Runs a part's block; true from it means that the part is at work, a String why it is not. Whatever it raises
      # costs a line and that part.
      def part(name, wanted: true)
        @parts[name] = wanted ? yield || "not there" : "turned off"
      rescue StandardError, LoadError, NotImplementedError => e
        @parts[name] = "#{e.class}: #{e.message.lines.first.to_s.chomp}"
        Log.warn("#{name} is left out: #{@parts[name]}")
      end

      # Told once a boot: who has trouble with one image has it with others.
      def trouble(text)
        Log.warn(text) unless @troubled
        @troubled = true
      end

      # A name of the image's data, nil where there is none.
      def data(name) = image&.data(name)

      # Whether this boot may leave something behind.
      def readonly? = switches.readonly? || images.nil? || !images.writable?
    end
  end
end
