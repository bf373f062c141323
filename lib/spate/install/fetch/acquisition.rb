# frozen_string_literal: true

module Spate
  module Install
    module Fetch
      # Fetches and unpacks the gems missing from the store, through a Backlog. Puts the results into one queue, so that
      # a single thread decides what happens next.
      class Acquisition
        LARGE = 2 << 20 # size of an archive in bytes
        private_constant :LARGE

        # Gems come first because some have to be built.
        def rank = 0

        # results: Thread::Queue that receives [:acquired, item] or [:failed, item, error].
        def initialize(context, results, unpack_step:)
          @context = context
          @results = results
          @unpack_step = unpack_step
          @backlog = context.backlog
          @archives = Archives.new(context)
        end

        # Adds items. The first call starts the threads.
        def add(items)
          return if items.empty?

          @warm_up ||= Thread.new { warm_up }
          @backlog.add(self, items)
          @context.sources.team unless @context.options.local # connects before the first request
        end

        # Stops all running work.
        def stop
          @backlog.remove(self)
          leave_rubygems
          @warm_up&.kill&.join
          @archives.clean
        end

        # The following methods are called by the Backlog.

        def local(item) = @archives.local(item)
        def obtain(item) = @archives.obtain(item)

        # Native gems come first, since a build takes longer than unpacking all other gems in parallel; then large
        # archives, which take longer than several small ones.
        def lane(_item, archive)
          return 0 if archive.native?

          archive.bytes > LARGE ? 1 : 2
        end

        # A damaged archive in the store is deleted and fetched again, once.
        def unpack(item, archive)
          @unpack_step.call(item, archive)
          @results << [:acquired, item]
        rescue ArchiveError
          raise unless archive.origin == :store

          File.unlink(archive.path)
          @unpack_step.call(item, @archives.obtain(item))
          @results << [:acquired, item]
        end

        def failed(item, error) = @results << [:failed, item, error]
        def close = @context.sources.close

        private

        # An interrupt during RubyGems' `require` may leave RubyGems' monitor locked, and `warm_up` would wait for it.
        def leave_rubygems
          return unless defined?(::Kernel::RUBYGEMS_ACTIVATION_MONITOR)

          monitor = ::Kernel::RUBYGEMS_ACTIVATION_MONITOR
          monitor.exit while monitor.mon_owned?
        end

        # Ignores errors, since they are raised again and reported when RubyGems is needed.
        def warm_up
          Thread.current.report_on_exception = false
          @unpack_step.warm_up
        rescue SystemCallError, Error
          nil
        end
      end
    end
  end
end
