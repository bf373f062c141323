# frozen_string_literal: true

module Spate
  module Install
    # Drives items from wherever they are to installed. One thread decides; others fetch, unpack and build, and tell
    # it through one queue. A package is linked as soon as it is in the store, built as soon as what it needs is
    # installed, and committed last.
    #
    #   needed -> acquiring -> stored -> building -> committed        in_place
    class Pipeline
      # record: Store::BundleRecord of the install before, or nil.
      def initialize(context, record)
        @context = context
        @record = record
        @results = Thread::Queue.new
        @acquired = []
        @failures = {}.compare_by_identity # of builds, while a cache may still have the result
      end

      # Begins to acquire before it is known which items the bundle will have.
      def speculate(items)
        return if items.empty?

        @acquired |= items
        acquisition.add(items.each { |item| item.state = :acquiring })
      end

      # Takes all items to :committed or :in_place. Raises the first error, after everything that ran was ended.
      def run(items)
        @waiting = items.reject { |item| item.state == :in_place }
        return if @waiting.empty?

        @dependencies = Dependencies.new(items)
        commit_step.prepare(@dependencies)
        request
        turn until @waiting.empty?
      ensure
        stop
      end

      # Ends threads and removes what no package will use. Safe to call twice. Ctrl-C waits until it is done.
      def stop = Thread.handle_interrupt(::Interrupt => :never) { clean }

      private

      def clean
        @acquisition&.stop
        @build_step&.stop
        @unpack_step&.clean
        @acquired.each(&:discard_tree)
        # Linked, perhaps half built, and not installed: nothing else would know of them.
        @link_step&.discard(@waiting.select { |item| %i[stored building].include?(item.state) }) if @waiting
        @link_step&.empty_trash
      end

      # Steps that nobody takes are not even loaded.
      def link_step = @link_step ||= Link::Step.new(@context)
      def commit_step = @commit_step ||= Commit::Step.new(@context)
      def build_step = @build_step ||= Extensions::Step.new(@context, @dependencies, @record, @results)
      def unpack_step = @unpack_step ||= Unpack::Step.new(@context)

      def acquisition = @acquisition ||= Fetch::Acquisition.new(@context, @results, unpack_step: unpack_step)

      def request
        needed = @waiting.select { |item| item.state == :needed }
        speculate(needed)
      end

      def turn
        return if advance || @waiting.empty?

        receive(@results.pop)
        receive(@results.pop) until @results.empty?
      end

      # Links and commits every stored package whose turn it is. Answers whether anything moved.
      def advance
        ready = @waiting.select { |item| item.state == :stored && ready?(item) }
        return false if ready.empty?

        lost = link(ready)
        acquire_again(lost)
        (ready - lost).each { |item| item.native? ? install_native(item) : commit(item) }
        true
      end

      def link(items)
        started = now
        lost = link_step.call(items)
        @context.events.emit(:link_done, total: items.size, seconds: (now - started).round(6))
        lost
      end

      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

      # What the store lost after its manifest was looked at.
      def acquire_again(items)
        items.each { |item| item.manifest = nil }
        speculate(items)
      end

      def ready?(item)
        return true unless item.native?
        return false unless build_step.decidable?(item)

        build_step.recall(item) unless item.build_key
        build_step.settled?(item)
      end

      def receive(message)
        Garbage.look
        kind, item, error = message
        case kind
        when :acquired then item.state = :stored
        when :built then commit(item)
        when :late then build_step.late(item)
        when :answered then answered(item, error)
        when :failed then failed(item, error)
        end
      end

      # What a cache had of an item; what was begun without it is ended by that, or has failed already.
      def answered(item, entry)
        build_step.answered(item, entry)
        error = @failures.delete(item)
        return unless @waiting.include?(item) && (error || item.state == :stored)

        build_step.take_offer(item) ? item.state = :stored : (raise error if error)
      end

      # A source that asks for credentials is asked again with those of the Gemfile, which a speculative fetch lacks. A
      # build that did not wait for the gems it depends on is done again, in fresh files, after them; one that a cache
      # may have counts as failed once that has answered.
      def failed(item, error)
        return unless @waiting.include?(item)
        return item.state = :stored if item.state == :building && otherwise?(item, error)
        return @failures[item] = error if item.state == :building && build_step.pending?(item)
        raise error if item.retried || !error.is_a?(Registry::CredentialsRequired)

        item.retried = true
        speculate([item])
      end

      # Whether a build that ended without a result is done in another way.
      def otherwise?(item, error)
        (item.early && error.is_a?(Build::BuildError)) || build_step.take_offer(item)
      end

      def install_native(item)
        return build(item) unless item.build

        @context.events.emit(:build_done, name: item.name, seconds: 0.0, cached: true)
        commit(item)
      end

      def build(item)
        item.state = :building
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
