# frozen_string_literal: true

module Spate
  module Install
    # Installs items from any state. One thread makes all decisions. Other threads fetch, unpack and build, and send
    # their results through one queue. A package is linked when it is in the store, built when its dependencies are
    # installed, and committed last.
    #
    #   needed -> acquiring -> stored -> committed        in_place
    class Pipeline
      def initialize(context)
        @context = context
        @results = Thread::Queue.new
        @acquired = []
      end

      # Starts to acquire items before the bundle's plan is known.
      def speculate(items)
        return if items.empty?

        @acquired |= items
        acquisition.add(items.each { |item| item.state = :acquiring })
      end

      # Installs all items; their state is then :committed or :in_place. record: Store::BundleRecord of the previous
      # install, or nil. Raises the first error, after stopping all running work.
      def run(items, record)
        @record = record
        @waiting = items.reject { |item| item.state == :in_place }
        return if @waiting.empty?

        @dependencies = Dependencies.new(items)
        commit_step.prepare(@dependencies)
        request
        advance_or_wait until @waiting.empty?
      ensure
        stop
      end

      # Stops threads and removes unused files. May be called twice. Ctrl-C is deferred until this is done.
      def stop = Thread.handle_interrupt(::Interrupt => :never) { clean }

      private

      def clean
        @acquisition&.stop
        @build_step&.stop
        @unpack_step&.clean
        @acquired.each(&:discard_tree)
        # Removes items that are linked, perhaps partly built, but not installed, since no record contains them.
        @link_step&.discard(@waiting.select { |item| item.state == :stored }) if @waiting
        @link_step&.empty_trash
      end

      # Steps are loaded on first use.
      def link_step = @link_step ||= Link::Step.new(@context)
      def commit_step = @commit_step ||= Commit::Step.new(@context)
      def build_step = @build_step ||= Extensions::Step.new(@context, @dependencies, @record, @results)
      def unpack_step = @unpack_step ||= Unpack::Step.new(@context)

      def acquisition = @acquisition ||= Fetch::Acquisition.new(@context, @results, unpack_step: unpack_step)

      def request
        needed = @waiting.select { |item| item.state == :needed }
        speculate(needed)
      end

      def advance_or_wait
        return if advance || @waiting.empty?

        receive(@results.pop)
        receive(@results.pop) until @results.empty?
      end

      # Links and commits every stored package that is ready. Returns whether there were any.
      def advance
        ready = @waiting.select { |item| item.state == :stored && ready?(item) }
        return false if ready.empty?

        lost = link(ready)
        acquire_again(lost)
        (ready - lost).each { |item| item.native? ? install_native(item) : commit(item) }
        true
      end

      def link(items)
        started = Util.now
        lost = link_step.call(items)
        @context.events.emit(:link_done, total: items.size, seconds: (Util.now - started).round(6))
        lost
      end

      # Fetches items again that have a manifest, but whose files are missing from the store.
      def acquire_again(items)
        items.each { |item| item.manifest = nil }
        speculate(items)
      end

      def ready?(item) = !item.native? || build_step.ready?(item)

      def receive(message)
        Fetch::Backlog.look_for_garbage
        kind, item, result = message
        case kind
        when :acquired then item.state = :stored
        when :failed then failed(item, result)
        when :built
          build_step.built(item, result)
          commit(item)
        when :unbuilt then build_step.unbuilt(item, result)
        else build_step.receive(*message)
        end
      end

      # If a speculative fetch failed because it lacked the Gemfile's credentials, repeats it with them.
      def failed(item, error)
        return unless @waiting.include?(item)
        raise error if item.retried || !error.is_a?(HTTP::CredentialsRequired)

        item.retried = true
        speculate([item])
      end

      def install_native(item)
        return build(item) unless item.build

        @context.events.emit(:build_done, name: item.name, seconds: 0.0, cached: true)
        commit(item)
      end

      def build(item)
        @context.events.emit(:build_queued, name: item.name)
        build_step.start(item)
      end

      def commit(item)
        commit_step.call(item)
        item.state = :committed
        @build_step&.installed(item)
        @waiting.delete(item)
      end
    end
  end
end
