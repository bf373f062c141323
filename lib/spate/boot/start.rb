# frozen_string_literal: true

module Spate
  module Boot
    # The order of a boot. Each step may fail on its own; what needs it is then left out too.
    class Start
      # Reasons not to use an image that somebody else may have written.
      FOREIGN = %i[foreign_owner writable symlink].freeze

      # program: what Spate has started: :exec, a program that is still to be found, needs the bundle's environment;
      # :ruby, a Ruby that runs one, needs the bundle. nil: the application sets up itself (`require "spate/boot"`).
      def initialize(from: nil, program: nil, env: ENV)
        @from = from
        @program = program
        @env = env
      end

      def call
        switches = Switches.new(@env)
        return unless switches.boot?

        Heap.unset(@env)
        @session = Session.new(switches, Application.find(from: @from, env: @env), @env.to_h)
        @session.part(:heap, wanted: switches.heap?) { Heap.state(@env) }
        images
        @session.part(:lean, wanted: switches.lean? && @program) { Lean.start }
        program_start
        bundle
        Lean.messages if @program
        index
        caches
        @session.part(:boot_end) { BootEnd.arm(@session) }
        @session
      end

      private

      def switches = @session.switches

      def program_start
        return unless @program

        Lean.rubygems
        Lean.messages unless @program == :ruby && Lean.bundle_first?
      end

      def images
        @session.part(:images) do
          Boot.load_native
          Log.start(switches)
          @session.images = Images.new(Home.store_root(@env))
          open_images
        end
        @session.part(:loader, wanted: switches.bundle?) { loader }
      end

      def open_images
        images = @session.images
        place = [@session.application.root, @session.application.gemfile]
        refusal = images.refusal
        if refusal
          @session.trouble("images are not used: #{refusal}")
          return refusal
        end
        @session.image = image(images.boot_path(*place))
        # Where somebody else may have written one, the other is not trusted either.
        @session.overlay = image(images.overlay_path(*place)) unless @foreign
        @session.image ? true : "no image yet"
      end

      # Native::Image, nil where there is none that may be used.
      def image(path)
        Native::Image.open(path, key: RubyKey.current)
      rescue Native::Image::Unusable => e
        @foreign = FOREIGN.include?(e.reason)
        @session.trouble(e.message) unless e.reason == :missing
        nil
      end

      def loader
        return "no images" unless @session.images

        loader = Native::Loader
        return "Coverage runs" if defined?(::Coverage) && ::Coverage.respond_to?(:running?) && ::Coverage.running?

        return "under -w Ruby #{RUBY_VERSION} learns by compiling which methods take blocks" if learns?
        return RubyKey.obstacle if RubyKey.obstacle

        loader.install
        loader.key = RubyKey.current
        loader.bundles = bundles
        [@session.overlay, @session.image].compact.each { |image| loader.add(image) }
        loader.recording = true unless @session.readonly?
        true
      end

      # It warns of blocks that are given to others, but where a method of the same name takes one.
      def learns? = RUBY_VERSION >= "3.4" && $VERBOSE

      # Gem folder => its image, as the application's image has them.
      def bundles
        lines = @session.data("bundles").to_s.dup.force_encoding(Encoding::UTF_8).lines(chomp: true)
        lines.to_h { |line| line.split("\t", 2) }
      end

      def bundle
        @session.part(:standin, wanted: switches.standin?) { standin }
        real unless @session.on?(:standin)
        Children.take_over(@session) if @program || @session.on?(:standin)
      end

      def real
        case @program
        when :exec then Bundled.environment
        when :ruby then Bundled.set_up
        end
      end

      def standin
        return "Bundler has set up already" if Bundled.set_up?

        records = Standin::Records.of(@session)
        return without_standin if records.empty?

        bytes, usable = records.choose(@env)
        unless bytes
          @session.outdated = records.outdated?(@env)
          return usable
        end

        Standin.activate(bytes).tap { |answer| Bundled.first if answer == true && @program == :exec }
      end

      def without_standin
        return "no image yet" unless @session.image

        lockfile = @session.application.lockfile
        @session.outdated = !lockfile.nil? && File.file?(lockfile)
        "the image has none"
      end

      def index
        @session.part(:index, wanted: switches.index?) do
          bytes = @session.data("index") or next "no image yet"

          Native::Requirer.install(bytes)
          true
        end
      end

      def caches
        @session.part(:bootsnap) { Bootsnap.meet(@session) }
        @session.part(:yaml, wanted: switches.yaml?) { YamlCache.arm(@session) }
      end
    end
  end
end
