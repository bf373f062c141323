# frozen_string_literal: true

module Spate
  module Boot
    # A boot has ended when the application has initialized, when it first forks or accepts a connection, or when the
    # process ends: whichever comes first.
    #
    # Loading goes on: routes, and what the first request needs, come after the application says that it is initialized.
    # So what was loaded is handed to the builder at the next of these events, and once more when the program ends, if
    # files have come from no image since.
    #
    # Until the end one hook runs for each file that is loaded (TracePoint :script_compiled, 0.4 µs), and looks whether
    # there is something to hook: ActiveSupport.run_load_hooks, Process._fork, the sockets' accept. Nothing of the
    # program's own is called or changed that Coverage would count.
    module BootEnd
      # Seconds that an image stays as it is, whatever its stand-in says.
      PATIENCE = 5
      # So few files that are not in the images wait for A_WHILE (seconds).
      FEW = 5
      A_WHILE = 60
      ACCEPTING = %i[accept accept_nonblock].freeze
      # After these nothing more is loaded.
      LAST = %i[exit exec].freeze

      class << self
        # Why the boot has ended (Symbol), nil while it lasts.
        attr_reader :reason

        def arm(session)
          @session = session
          @reason = @new = nil
          @process = Process.pid
          @restore = []
          [method(:rails), method(:sockets)].each { |question| watch(&question) }
          at_exit { reached(:exit) }
          hook(Process.singleton_class, :_fork) { reached(:fork) }
          @trace = TracePoint.new(:script_compiled) { look }
          @trace.enable
          true
        end

        # Asks the block at each file that is loaded, until it answers true or the boot has ended.
        def watch(&question) = (@watched ||= []) << question

        # Ends the boot, where it lasts still, and hands over what was loaded. Never raises.
        def reached(why)
          return if @session.nil? || @process != Process.pid

          over(why) unless @reason
          # Where there is no image yet, one of most is worth more than one of all that never comes.
          hand_over(why) unless why == :after_initialize && @session.image
        rescue StandardError, LoadError, NotImplementedError => e
          Log.warn("what this boot loaded is not kept: #{e.class}: #{e.message.lines.first.to_s.chomp}")
        end

        # The program will not run: there is nothing to keep.
        def give_up = @session = nil

        private

        def look
          @watched.delete_if(&:call)
        end

        def over(why)
          @reason = why
          @trace&.disable
          @initialized&.disable
          @session.over
          Native::Loader.rest if @session.on?(:loader)
          Log.line(:boot_end, why)
        end

        # Told when all that waits for it has run.
        def rails
          return unless defined?(::ActiveSupport) && ::ActiveSupport.respond_to?(:run_load_hooks)

          @initialized = TracePoint.new(:return) do |point|
            name = point.binding.local_variable_get(point.parameters.first.last)
            reached(:after_initialize) if name == :after_initialize
          end
          @initialized.enable(target: ::ActiveSupport.method(:run_load_hooks))
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
          Boot.replace(owner, name, lambda do |*arguments, **options, &block|
            yield
            method.bind_call(self, *arguments, **options, &block)
          end)
          @restore << [owner, name, method, own(owner, name)]
        end

        # What the program has put there meanwhile stays; ours is part of it, perhaps, and does nothing more.
        def unhook
          @restore.each do |owner, name, method, ours|
            Boot.replace(owner, name, method) if own(owner, name) == ours
          end
          @restore.clear
        end

        # The owner's method, below those of modules before it; nil where it has none any more.
        def own(owner, name)
          method = owner.instance_method(name) if owner.method_defined?(name) || owner.private_method_defined?(name)
          method = method.super_method until method.nil? || method.owner == owner
          method
        end

        def hand_over(why)
          unhook
          return unless @session.on?(:loader)

          first = @new.nil?
          new = Native::Loader.counts.values_at(*Recording::NEWS).sum
          return if new == @new

          @new = new
          told if first
          Boot.at_home { keep(first, LAST.include?(why)) } unless @session.readonly?
        end

        def told
          Instrumentation.problems&.then { |text| @session.trouble(text) }
          Images.touch(@session.image.path) if @session.image
        end

        # whole: whether nothing more can come.
        def keep(first, whole)
          recorded = recorded()
          wanted = outdated? || news?(recorded)
          Background.foster&.then { |why| @session.parts[:builder] = why } if wanted
          # The program that takes this process' place tells of the same boot.
          Journal.add(@session, @reason) if first && @reason != :exec
          YamlCache.flush if @session.on?(:yaml)
          build(recorded, whole) if wanted
        end

        def build(recorded, whole)
          started = Background.start(@session.application, recorded, images: @session.images, renew: outdated?,
                                                                     env: @session.environment, whole: whole)
          application = @session.application
          path = @session.images.boot_path(application.root, application.gemfile)
          Log.event(:rebuilt, path, cause(recorded)) if started
        end

        def cause(recorded)
          return "there was none" unless @session.image
          return "of the bundle: #{@session.parts[:standin]}" if @session.outdated
          return "files of the bundle have other times" if times_lost?

          new = recorded.count { |_, outcome| Recording::NEWS.include?(outcome) }
          "#{new} of #{recorded.size} files were not in the images as they are"
        end

        # Two environments in turn are no reason to build at every boot.
        def outdated?
          return true unless @session.image

          age(@session.image.path) > (times_lost? ? A_WHILE : PATIENCE) if @session.outdated || times_lost?
        end

        # Copied, restored, linked elsewhere: what the stand-in was made from would be read at each boot.
        def times_lost? = @session.on?(:standin) && Standin.worn

        # Whether a next boot would gain by other images. Another small script each time is no reason to build.
        def news?(recorded)
          return false unless Recording.news?(recorded, @session.image, @session.overlay)

          new = recorded.count { |_, outcome| Recording::NEWS.include?(outcome) }
          new >= FEW || age(@session.image.path) > A_WHILE
        end

        # In seconds. Of Floats: libraries have their own ways to subtract times.
        def age(path) = Process.clock_gettime(Process::CLOCK_REALTIME) - File.mtime(path).to_f

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
