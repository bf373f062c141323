# frozen_string_literal: true

module Spate
  module Install
    module Extensions
      # The state of one native gem's build, including the query to the team's cache. Used only by one thread.
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
      # hit, miss::  the team's cache has an entry, or none. After a miss, :asked and :late become :needed
      # slow::       the cache does not respond in time. A build may start, and the first result is used
      # hit, ended:: the running build is stopped. The entry is used after the build has ended
      # early::      the build failed before its dependencies were installed. It is repeated after they are installed
      # error::      the build failed. This ends the install, unless the cache may still respond
      class BuildState
        # key: the build key. checkout: the name of the gem's git checkout, or nil. entry: the Build::Cache::Entry to
        # use, or nil.
        attr_reader :key, :full_name, :checkout, :state, :entry

        def initialize(key, full_name, checkout: nil, entry: nil)
          @key = key
          @full_name = full_name
          @checkout = checkout
          @entry = entry
          @state = entry ? :found : :needed
        end

        # Whether the gem can be linked. It is then complete with the entry, or is built.
        def ready? = %i[needed late found].include?(@state)

        # Whether a response of the team's cache is outstanding.
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

        # early: whether some of its dependencies are not installed yet.
        def start(early:)
          @early = early
          @entry = nil # if there was an entry, it is damaged
          @state = :building
        end

        def built = @state = :built

        # Raises the error unless an entry, another attempt, or the team's cache may still provide the build.
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
