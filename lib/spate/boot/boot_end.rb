# frozen_string_literal: true

module Spate
  module Boot
    # Detects the end of a boot: the application is initialized, forks or accepts a connection for the first time, or
    # exits.
    #
    # Ruby loads more files after the first of these events: routes, and the code of the first request. So the builder
    # receives the list of loaded files at the second event. It receives the list again at exit if more files were
    # loaded without a compile cache.
    #
    # Until the boot ends, a TracePoint (:script_compiled, 0.4 µs per file) checks whether ActiveSupport.run_load_hooks
    # and the sockets' accept methods are defined and can be hooked. The hooks do not change the results of Coverage.
    module BootEnd
      autoload :NewFiles, "#{FOLDER}/boot_end/new_files"

      ACCEPTING = %i[accept accept_nonblock].freeze
      # Nothing is loaded after these events.
      LAST = %i[exit exec].freeze

      class << self
        # The event that ended the boot (Symbol), or nil during the boot.
        attr_reader :reason

        def arm(session)
          @session = session
          @reason = @new = nil
          @process = Process.pid
          @restore = []
          [method(:rails), method(:sockets)].each { |question| watch(&question) }
          at_exit { finish(:exit) }
          hook(Process.singleton_class, :_fork) { finish(:fork) }
          @trace = TracePoint.new(:script_compiled) { check_watched }
          @trace.enable
          true
        end

        # Calls the block for each loaded file, until the block returns true or the boot has ended.
        def watch(&question) = (@watched ||= []) << question

        # Ends the boot if it has not ended yet, and passes the loaded files to the builder. Never raises.
        def finish(why)
          return if @session.nil? || @process != Process.pid

          end_boot(why) unless @reason
          # Without a compile cache, an incomplete one now is better than a complete one later.
          pass_files_to_builder(why) unless why == :after_initialize && @session.cache
        rescue StandardError, LoadError, NotImplementedError => e
          Log.warn("the files of this boot were not recorded: #{e.class}: #{e.message.lines.first.to_s.chomp}")
        end

        # Disables recording. Called if the program will not run.
        def give_up = @session = nil

        private

        def check_watched
          @watched.delete_if(&:call)
        end

        def end_boot(why)
          @reason = why
          @trace&.disable
          @initialized&.disable
          @session.record_end
          Native::Loader.rest if @session.on?(:loader)
          Log.line(:boot_end, why)
        end

        # Ends the boot when all hooks of after_initialize have run.
        def rails
          return unless defined?(::ActiveSupport) && ::ActiveSupport.respond_to?(:run_load_hooks)

          @initialized = TracePoint.new(:return) do |point|
            name = point.binding.local_variable_get(point.parameters.first.last)
            finish(:after_initialize) if name == :after_initialize
          end
          @initialized.enable(target: ::ActiveSupport.method(:run_load_hooks))
          true
        end

        # The classes are defined before accept_nonblock, which socket.rb defines.
        def sockets
          return unless defined?(::TCPServer) && ::TCPServer.method_defined?(:accept_nonblock, false)

          [::TCPServer, ::UNIXServer, ::Socket].each do |owner|
            ACCEPTING.each { |name| hook(owner, name) { finish(:accept) } if owner.method_defined?(name, false) }
          end
          true
        end

        # Runs the block before each call of the method. `unhook` restores the method.
        def hook(owner, name)
          method = owner.instance_method(name)
          Boot.replace(owner, name, lambda do |*arguments, **options, &block|
            yield
            method.bind_call(self, *arguments, **options, &block)
          end)
          @restore << [owner, name, method, own_method(owner, name)]
        end

        # Restores the original methods. Keeps methods that the program has redefined since then; these may call the
        # hooks, which is harmless.
        def unhook
          @restore.each do |owner, name, method, ours|
            Boot.replace(owner, name, method) if own_method(owner, name) == ours
          end
          @restore.clear
        end

        # Returns the method that the owner itself defines, ignoring prepended modules, or nil.
        def own_method(owner, name)
          method = owner.instance_method(name) if owner.method_defined?(name) || owner.private_method_defined?(name)
          method = method.super_method until method.nil? || method.owner == owner
          method
        end

        def pass_files_to_builder(why)
          unhook
          return unless @session.on?(:loader)

          first = @new.nil?
          new = Native::Loader.counts.values_at(*NewFiles::OUTCOMES).sum
          return if new == @new

          @new = new
          first_end if first
          Boot.with_library { record_boot(first, LAST.include?(why)) } unless @session.readonly?
        end

        def first_end
          @session.warn_once(Log::Outcomes.problems) if Native::Loader.problems.any?
          CompileCacheFolder.touch(@session.cache.path) if @session.cache
        end

        # whole: whether no more files can be loaded.
        def record_boot(first, whole)
          news = NewFiles.new(@session)
          wanted = news.any?
          Background.adopted&.then { |why| @session.parts[:builder] = why } if wanted
          # After exec, the new program logs this boot.
          BootLog.add(@session, @reason) if first && @reason != :exec && @session.logged
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
