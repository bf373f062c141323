# frozen_string_literal: true

module Spate
  module Boot
    # A boot has ended when the application has initialized, when it first forks or accepts a connection, or when the
    # process ends.
    #
    # Loading continues after the first of these events: routes, and the code of the first request. So the list of
    # loaded files goes to the builder at the next event, and once more at the end of the program if since then some
    # files came from no compile cache.
    #
    # Until the boot ends, a hook runs for each loaded file (TracePoint :script_compiled, 0.4 µs) and checks whether one
    # of these methods can be hooked now: ActiveSupport.run_load_hooks, Process._fork, the sockets' accept. It calls and
    # changes nothing that Coverage would count.
    module BootEnd
      autoload :News, "#{FOLDER}/boot_end/news"

      ACCEPTING = %i[accept accept_nonblock].freeze
      # Nothing is loaded after these events.
      LAST = %i[exit exec].freeze

      class << self
        # Why the boot has ended (Symbol); nil during the boot.
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

        # Calls the block for each loaded file, until the block returns true or the boot has ended.
        def watch(&question) = (@watched ||= []) << question

        # Ends the boot if it has not ended yet, and passes the loaded files to the builder. Never raises.
        def reached(why)
          return if @session.nil? || @process != Process.pid

          over(why) unless @reason
          # Without a compile cache, having one of most files now is better than a complete one later.
          hand_over(why) unless why == :after_initialize && @session.cache
        rescue StandardError, LoadError, NotImplementedError => e
          Log.warn("the files of this boot were not recorded: #{e.class}: #{e.message.lines.first.to_s.chomp}")
        end

        # Called if the program will not run: nothing is recorded.
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

        # Called after all hooks of after_initialize have run.
        def rails
          return unless defined?(::ActiveSupport) && ::ActiveSupport.respond_to?(:run_load_hooks)

          @initialized = TracePoint.new(:return) do |point|
            name = point.binding.local_variable_get(point.parameters.first.last)
            reached(:after_initialize) if name == :after_initialize
          end
          @initialized.enable(target: ::ActiveSupport.method(:run_load_hooks))
          true
        end

        # The classes exist before their accept methods, which socket.rb defines.
        def sockets
          return unless defined?(::TCPServer) && ::TCPServer.method_defined?(:accept_nonblock, false)

          [::TCPServer, ::UNIXServer, ::Socket].each do |owner|
            ACCEPTING.each { |name| hook(owner, name) { reached(:accept) } if owner.method_defined?(name, false) }
          end
          true
        end

        # Runs the block before each call of the method, until the end of the boot restores the method.
        def hook(owner, name)
          method = owner.instance_method(name)
          Boot.replace(owner, name, lambda do |*arguments, **options, &block|
            yield
            method.bind_call(self, *arguments, **options, &block)
          end)
          @restore << [owner, name, method, own(owner, name)]
        end

        # Keeps methods that the program has defined since then. They may call the hooks, which then do nothing.
        def unhook
          @restore.each do |owner, name, method, ours|
            Boot.replace(owner, name, method) if own(owner, name) == ours
          end
          @restore.clear
        end

        # The owner's own method, without those of prepended modules; nil if it has none.
        def own(owner, name)
          method = owner.instance_method(name) if owner.method_defined?(name) || owner.private_method_defined?(name)
          method = method.super_method until method.nil? || method.owner == owner
          method
        end

        def hand_over(why)
          unhook
          return unless @session.on?(:loader)

          first = @new.nil?
          new = Native::Loader.counts.values_at(*News::OUTCOMES).sum
          return if new == @new

          @new = new
          first_end if first
          Boot.at_home { keep(first, LAST.include?(why)) } unless @session.readonly?
        end

        def first_end
          @session.warn_once(Log::Outcomes.problems) if Native::Loader.problems.any?
          CompileCacheFolder.touch(@session.cache.path) if @session.cache
        end

        # whole: whether nothing more can be loaded.
        def keep(first, whole)
          news = News.new(@session)
          wanted = news.any?
          Background.adopted&.then { |why| @session.parts[:builder] = why } if wanted
          # After exec the new program logs the same boot.
          BootLog.add(@session, @reason) if first && @reason != :exec
          YamlCache.flush if @session.on?(:yaml)
          build(news, whole) if wanted
        end

        def build(news, whole)
          caches, application = @session.caches, @session.application
          started = Background.start(application, news.recorded, caches: caches, renew: news.renew?,
                                                                 env: @session.environment, whole: whole)
          Log.event(:rebuilt, caches.application_path(application), news.cause) if started
        end
      end
    end
  end
end
