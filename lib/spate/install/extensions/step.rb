# frozen_string_literal: true

module Spate
  module Install
    module Extensions
      # Native extensions: finds usable stored builds, and runs the other builds in threads that each wait for a child.
      class Step
        # record: Store::BundleRecord of the previous install, or nil. results: Thread::Queue that receives [:built,
        # item]
        # or [:failed, item, error].
        def initialize(context, dependencies, record, results)
          @context = context
          @layout = context.layout
          @dependencies = dependencies
          @results = results
          @threads = []
          @schedule = Build::Schedule.new
          @record = record
          @offers = {}.compare_by_identity
        end

        def decidable?(item) = keys.decidable?(item)

        # Looks for a stored build; sets item.build_key, and item.build if one is usable.
        def recall(item)
          item.build_key = keys.of(item)
          item.build = builder.reuse(item.build_key)
        end

        # Whether the team's cache need not be waited for.
        def settled?(item) = item.build || lookup.settled?(item)

        # Whether a cache may still answer.
        def pending?(item) = lookup.pending?(item)
        def late(item) = lookup.late(item)

        # entry: Build::Cache::Entry that a cache had for the item, or nil. A running build of the item is ended, and
        # fails.
        def answered(item, entry)
          lookup.answered(item)
          @offers[item] = entry
          builder.abandon(item.build_key) if entry && item.state == :building
        end

        # Uses the entry from a cache. Returns whether there was one.
        def take_offer(item)
          return false unless @offers[item]

          item.shared = true
          item.build = @offers[item]
        end

        # Builds the item once the gems that it may load while building are installed, longest chain first; immediately
        # if its configuration loads none, unless that was tried before. Gems in a dependency cycle do not wait for each
        # other.
        def start(item)
          needs = missing(item)
          needs = [] if (item.early = item.early.nil? && !needs.empty? && keys.standalone?(item))
          item.signers = keys.signers(item)
          weight = weights.of(item.name, item.manifest)
          @schedule.add(item.full_name, weight: weight, needs: needs, payload: item)
          spawn if @threads.size < limit
        end

        # Called for each installed gem, native or not.
        def installed(item) = @schedule.placed(item.full_name)

        def stop
          @schedule.stop
          @lookup&.stop && @context.sources.close
          @builder&.cancel
          @threads.each { |thread| thread.join(5) || thread.kill }
        end

        private

        # Created by the deciding thread before there are others, and only for a native gem.
        def keys = @keys ||= Keys.new(@context, builder, @dependencies, @record)

        def builder = @builder ||= @context.new_builder
        def lookup = @lookup ||= Lookup.of(@context, builder, @results)

        # Full names of its dependencies that are not installed yet.
        def missing(item)
          needed = @dependencies.of(item).reject { |other| @dependencies.of(other).include?(item) }
          needed.reject { |other| %i[in_place committed].include?(other.state) }.map(&:full_name)
        end

        def gem_dir(item) = "#{@layout.gems}/#{item.full_name}"

        def weights = @weights ||= Build::Schedule::Durations.new(@context.store)

        def limit = Util::Processors.count * 2

        def spawn
          @threads << Thread.new do
            Thread.current.report_on_exception = false
            while (item = @schedule.take)
              attempt(item)
            end
          end
        end

        def attempt(item)
          result = builder.build(
            package: item.package, facts: item.facts, specification: item.generated.specification,
            gem_dir: gem_dir(item), extension_dir: "#{@layout.extensions}/#{item.full_name}",
            key: item.build_key, package_manifest: item.manifest, needed: @dependencies.of(item).map(&:full_name),
            signers: item.signers
          )
          item.seconds = result.seconds unless result.cached?
          item.build = result.stored
          @results << [:built, item]
        rescue StandardError, ScriptError, NoMemoryError, SystemStackError => e # otherwise it would be lost
          @results << [:failed, item, e]
        end
      end
    end
  end
end
