# frozen_string_literal: true

module Spate
  module Install
    module Extensions
      # Installs native extensions: finds usable stored builds, and runs the other builds. Each runs in a child process
      # with a thread that waits for it.
      class Step
        # record: Store::BundleRecord of the previous install, or nil. results: Thread::Queue that receives [:built,
        # item, Build::Result], [:unbuilt, item, error], and the messages of Lookup.
        def initialize(context, dependencies, record, results)
          @context = context
          @layout = context.layout
          @dependencies = dependencies
          @results = results
          @threads = []
          @schedule = Build::Schedule.new
          @record = record
          @builds = {}.compare_by_identity # item => BuildState
        end

        # Looks up the stored build of an item, sets item.build if there is one, and returns whether the item can be
        # linked. Without a stored build it is built after linking.
        def ready?(item)
          return false unless keys.decidable?(item)

          build = @builds[item] ||= recall(item)
          lookup.ask(build) unless build.entry
          return build.ready? unless build.state == :found

          item.shared = build.shared?
          item.build = build.entry
        end

        # Handles a message from Lookup. If an entry arrives while its gem is being built, stops that build.
        def receive(kind, build, entry = nil)
          return build.late if kind == :late

          build.answered(entry)
          builder.abandon(build.key) if entry && build.state == :building
        end

        # Schedules the build of an item. It waits until the dependencies that it may load while building are installed.
        # If its extconf.rb loads none of them, the first attempt starts immediately. Builds on the longest dependency
        # chain have priority. Gems in a dependency cycle do not wait for each other.
        def start(item)
          needs = missing(item)
          build = @builds[item]
          early = !build.started? && !needs.empty? && keys.standalone?(item)
          build.start(early: early)
          item.signers = keys.signers(item)
          weight = weights.of(item.name, item.manifest)
          @schedule.add(item.full_name, weight: weight, needs: early ? [] : needs, payload: item)
          spawn if @threads.size < limit
        end

        def built(item, result)
          @builds[item].built
          item.seconds = result.seconds unless result.cached?
          item.build = result.stored
        end

        # Handles a failed build. Raises the error if neither another attempt nor the team's cache can still provide the
        # build.
        def unbuilt(item, error)
          build = @builds[item]
          build.failed(error)
          lookup.limit(build) if build.state == :failed
        end

        # Called for each installed gem, with or without extensions.
        def installed(item) = @schedule.placed(item.full_name)

        def stop
          @schedule.stop
          @lookup&.stop && @context.sources.close
          @builder&.cancel
          @threads.each { |thread| thread.join(5) || thread.kill }
        end

        private

        # Created by Pipeline's thread before other threads exist, and only if a gem has extensions.
        def keys = @keys ||= Keys.new(@context, builder, @dependencies, @record)

        def builder = @builder ||= @context.new_builder
        def lookup = @lookup ||= Lookup.of(@context, builder, @results)

        def recall(item)
          key = keys.of(item)
          BuildState.new(key, item.full_name, entry: builder.reuse(key))
        end

        # Full names of the item's dependencies that are not installed yet.
        def missing(item)
          needed = @dependencies.of(item).reject { |other| @dependencies.of(other).include?(item) }
          needed.reject { |other| %i[in_place committed].include?(other.state) }.map(&:full_name)
        end

        def gem_dir(item) = "#{@layout.gems}/#{item.full_name}"

        def weights = @weights ||= Build::Schedule::Durations.new(@context.store)

        def limit = Util::Processors.count * 2

        def spawn
          @threads << Util.quiet_thread do
            while (item = @schedule.take)
              attempt(item)
            end
          end
        end

        def attempt(item)
          result = builder.build(
            package: item.package, facts: item.facts, specification: item.generated.specification,
            gem_dir: gem_dir(item), extension_dir: "#{@layout.extensions}/#{item.full_name}",
            key: @builds[item].key, package_manifest: item.manifest, needed: @dependencies.of(item).map(&:full_name),
            signers: item.signers
          )
          @results << [:built, item, result]
        rescue StandardError, ScriptError, NoMemoryError, SystemStackError => e # otherwise the error would be lost
          @results << [:unbuilt, item, e]
        end
      end
    end
  end
end
