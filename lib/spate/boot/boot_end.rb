# frozen_string_literal: true

module Spate
  module Boot
    # A boot has ended when the application says that it is initialized, when it first forks or accepts a connection,
    # after 30 s, when it has grown by 512 MB, or when the process ends: whichever comes first. Then collection goes on
    # and what was loaded is handed to the builder.
    #
    # Until then one hook runs for each file that is loaded (TracePoint :script_compiled, 0.4 µs), and looks whether
    # there is something to hook: Rails' after_initialize, Process._fork, the sockets' accept. All of it is taken away
    # at the end.
    module BootEnd
      SECONDS = 30
      BYTES = 512 << 20
      # Seconds that an image stays as it is, whatever its stand-in says.
      PATIENCE = 5
      # So few files that are not in the images wait for A_WHILE (seconds).
      FEW = 5
      A_WHILE = 60
      ACCEPTING = %i[accept accept_nonblock].freeze

      class << self
        # Why the boot has ended (Symbol), nil while it lasts.
        attr_reader :reason

        def arm(session)
          @session = session
          @reason = nil
          @process = Process.pid
          @restore = []
          [method(:rails), method(:sockets)].each { |question| watch(&question) }
          Heap.watch { |why| reached(why) } if session.on?(:heap)
          at_exit { reached(:exit) }
          hook(Process.singleton_class, :_fork) { reached(:fork) }
          @trace = TracePoint.new(:script_compiled) { look }
          @trace.enable
          true
        end

        # Asks the block at each file that is loaded, until it answers true or the boot has ended.
        def watch(&question) = (@watched ||= []) << question

        # Ends the boot once; later calls do nothing. Never raises.
        def reached(why)
          return if @reason || @session.nil? || @process != Process.pid

          @reason = why
          @trace&.disable
          @restore.each { |owner, name, method| Boot.replace(owner, name, method) }
          Heap.release(@session)
          Log.line(:boot_end, why)
          Instrumentation.tell_problems if @session.on?(:loader)
          hand_over
        rescue StandardError, LoadError, NotImplementedError => e
          Log.warn("what this boot loaded is not kept: #{e.class}: #{e.message.lines.first.to_s.chomp}")
        end

        private

        def look
          @watched.delete_if(&:call)
        end

        def rails
          return unless defined?(::ActiveSupport::LazyLoadHooks) && ::ActiveSupport.respond_to?(:on_load)

          ::ActiveSupport.on_load(:after_initialize, yield: true) { BootEnd.reached(:after_initialize) }
          true
        end

        # BasicSocket is there before its accept methods are: they are, once socket.rb has run.
        def sockets
          return unless defined?(::TCPServer) && ::TCPServer.method_defined?(:accept_nonblock, false)

          [::TCPServer, ::UNIXServer, ::Socket].each do |owner|
            ACCEPTING.each { |name| hook(owner, name) { reached(:accept) } if owner.method_defined?(name, false) }
          end
          true
        end

        # Runs the block before the method's next call; the method itself is put back at the end of the boot.
        def hook(owner, name)
          method = owner.instance_method(name)
          @restore << [owner, name, method]
          Boot.replace(owner, name, lambda do |*arguments, **options, &block|
            yield
            method.bind_call(self, *arguments, **options, &block)
          end)
        end

        def hand_over
          return unless @session.on?(:loader)

          Native::Loader.recording = false
          Images.touch(@session.image.path) if @session.image
          return if @session.readonly?

          Boot.at_home do
            Journal.add(@session, @reason)
            YamlCache.flush if @session.on?(:yaml)
            recorded = recorded()
            build(recorded) if outdated? || news?(recorded)
          end
        end

        def build(recorded)
          started = Background.start(@session.application, recorded, images: @session.images, renew: outdated?,
                                                                     env: @session.environment)
          application = @session.application
          path = @session.images.boot_path(application.root, application.gemfile)
          Log.event(:rebuilt, path, cause(recorded)) if started
        end

        def cause(recorded)
          return "there was none" unless @session.image
          return "of the bundle: #{@session.parts[:standin]}" if @session.outdated

          new = recorded.count { |_, outcome| Recording::NEWS.include?(outcome) }
          "#{new} of #{recorded.size} files were not in the images as they are"
        end

        # Two environments in turn are no reason to build at every boot.
        def outdated?
          return true unless @session.image

          @session.outdated && Time.now - File.mtime(@session.image.path) > PATIENCE
        end

        # Whether a next boot would gain by other images. Another small script each time is no reason to build.
        def news?(recorded)
          return false unless Recording.news?(recorded, @session.image, @session.overlay)

          new = recorded.count { |_, outcome| Recording::NEWS.include?(outcome) }
          new >= FEW || Time.now - File.mtime(@session.image.path) > A_WHILE
        end

        # [[path, outcome]] in load order. A program named by a relative path has no place in an image. Where bootsnap
        # has the field, from what is loaded.
        def recorded
          stays = Bootsnap.set_up? && !@session.on?(:bootsnap)
          return Native::Loader.recorded.select { |path, _| path.start_with?("/") } unless stays

          $LOADED_FEATURES.grep(%r{\A/.*\.rb\z}).map { |path| [path, :miss] }
        end
      end
    end
  end
end
