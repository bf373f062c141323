# frozen_string_literal: true

module Spate
  module Install
    module Extensions
      # The state of one native gem's build, in the store and in the team's cache. Used only by the deciding thread.
      #
      #   needed ──ask──► asked ──hit──────► found ──linked──┐
      #     ▲ │             │                ▲ ▲ │           │
      #     │ │           slow               │ │ │ damaged   │
      #     │ │             ▼                │ │ │           ▼
      #     │ │            late ──hit────────┘ │ │         built
      #     │ │             │                  │ │           ▲
      #     │ start       start    hit, ended  │ │           │
      #     │ ▼             ▼    ┌─────────────┤ │           │
      #     └─────early── building ◄───────────┼─┘           │
      #                     │    └─────────────┼──success────┘
      #                   error                │
      #                     ▼                  │
      #                   failed ──hit─────────┘
      #
      # hit, miss::  the team's cache has an entry, or none; a miss ends :asked and :late, and the build is :needed
      # slow::       the cache does not answer in time: a build may start, and the first result is used
      # hit, ended:: the running build is ended, and the entry used once it no longer writes files
      # early::      it failed before the gems that it depends on were installed, and is repeated after them
      # error::      it ends the install, unless the cache may still answer
      class BuildState
        # key: the build key. checkout: name of the gem's git checkout, or nil. entry: Build::Cache::Entry to use, or
        # nil.
        attr_reader :key, :full_name, :checkout, :state, :entry

        def initialize(key, full_name, checkout: nil, entry: nil)
          @key = key
          @full_name = full_name
          @checkout = checkout
          @entry = entry
          @state = entry ? :found : :needed
        end

        # Whether the gem can be linked, either with the entry or to be built.
        def ready? = %i[needed late found].include?(@state)

        # Whether the team's cache may still answer.
        def pending? = @answer == :pending

        def asked? = !@answer.nil?

        # Whether the entry is from the team's cache.
        def shared? = @answer == :hit

        # Whether the build was started before.
        def started? = !@early.nil?

        def ask
          @answer = :pending
          @state = :asked
        end

        def late = (@state = :late if @state == :asked)

        # entry: Build::Cache::Entry, or nil for a miss. Raises the error of a failed build that has no entry.
        def answered(entry)
          return if !pending? || @state == :built

          @answer = entry ? :hit : :miss
          @entry = entry
          return if @state == :building
          raise @error if @state == :failed && entry.nil?

          @state = entry ? :found : :needed
        end

        # early: whether gems that it depends on are not installed yet.
        def start(early:)
          @early = early
          @entry = nil # the entry is damaged
          @state = :building
        end

        def built = @state = :built

        # Raises the error unless another attempt, or an entry, may still give a result.
        def failed(error)
          return @state = :found if @entry
          return @state = :needed if @early && error.is_a?(Build::BuildError)
          raise error unless pending?

          @error = error
          @state = :failed
        end
      end
    end
  end
end
