# frozen_string_literal: true

module Spate
  module Install
    module Fetch
      # Brings the gems that the store lacks into it: the gems' part of a Backlog. Results come out of one queue, so
      # that a single thread decides what happens next.
      class Acquisition
        LARGE = 2 << 20 # bytes of an archive
        private_constant :LARGE

        # Gems come before all else: some have to be built.
        def rank = 0

        # results: Thread::Queue that receives [:acquired, item] or [:failed, item, error].
        def initialize(context, results, unpack_step:)
          @context = context
          @results = results
          @unpack_step = unpack_step
          @backlog = context.backlog
          @archives = Archives.new(context)
        end

        # Adds items; threads start with the first of them.
        def add(items)
          return if items.empty?

          @warm_up ||= Thread.new { warm_up }
          @backlog.add(self, items)
          @context.sources.team unless @context.options.local # which greets it before anybody asks
        end

        # Ends what is under way.
        def stop
          @backlog.leave(self)
          leave_rubygems
          @warm_up&.kill&.join
          @archives.clean
        end

        # What follows is for the Backlog.

        def at_hand(item) = @archives.at_hand(item)
        def obtain(item) = @archives.obtain(item)

        # A build takes longer than unpacking all others, which goes on beside it; and what is large takes longer than
        # several others, which would be at their end when it began.
        def lane(_item, archive)
          return 0 if archive.native?

          archive.bytes > LARGE ? 1 : 2
        end

        # A damaged archive in the store is dropped and fetched again, once.
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

        # An interrupt in the midst of RubyGems' `require` may leave its monitor locked, and `warm_up` would wait for
        # that.
        def leave_rubygems
          return unless defined?(::Kernel::RUBYGEMS_ACTIVATION_MONITOR)

          monitor = ::Kernel::RUBYGEMS_ACTIVATION_MONITOR
          monitor.exit while monitor.mon_owned?
        end

        # An error here comes again where RubyGems is needed, and is reported there.
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
