# frozen_string_literal: true

module Spate
  module Install
    # Native extensions: which cached build fits, and the builds that must run, in threads that each wait for a child.
    class BuildStep
      # results: Thread::Queue that receives [:built, item] or [:failed, item, error].
      def initialize(context, dependencies, results)
        @context = context
        @layout = context.layout
        @dependencies = dependencies
        @results = results
        @threads = []
        @schedule = Build::Schedule.new
      end

      # Whether all that the build's key covers is known.
      def decidable?(item)
        @dependencies.of(item).all? { |needed| needed.sha256 || needed.state == :in_place }
      end

      # Looks for a cached build; sets item.build_key, and item.build where one fits.
      def recall(item)
        shas = @dependencies.of(item).map { |needed| needed.sha256 || needed.full_name }.sort
        item.build_key = builder.key(item.package, item.facts, shas, archive_sha256: item.sha256)
        item.build = builder.reuse(item.build_key) unless @context.options.force
        item.build_key = stored_key(item.build_key) if item.build
      end

      # Builds the item as soon as the gems that it may load while building are in place, longest chain first; at once
      # where its configuration loads none, unless that was tried before. Gems that need each other do not wait for each
      # other.
      def start(item)
        needs = missing(item)
        needs = [] if (item.early = item.early.nil? && !needs.empty? && standalone?(item))
        weight = weights.of(item.name, item.manifest)
        @schedule.add(item.full_name, weight: weight, needs: needs, payload: item)
        spawn if @threads.size < limit
      end

      # A gem, native or not, is installed.
      def placed(item) = @schedule.placed(item.full_name)

      def stop
        @schedule.stop
        @builder&.cancel
        @threads.each { |thread| thread.join(5) || thread.kill }
      end

      private

      # Full names of gems that it depends on and that are not installed yet.
      def missing(item)
        needed = @dependencies.of(item).reject { |other| @dependencies.of(other).include?(item) }
        needed.reject { |other| %i[in_place committed].include?(other.state) }.map(&:full_name)
      end

      def standalone?(item)
        Build::Standalone.new(gem_dir(item), item.facts.extensions, @dependencies.of(item).map(&:name)).standalone?
      end

      def gem_dir(item) = "#{@layout.gems}/#{item.full_name}"

      def builder
        @builder ||= Build::Builder.new(store: @context.store, layout: @layout, settings: @context.settings,
                                        events: @context.events, jobs: @context.jobs)
      end

      # A result that holds the bundle's own path is kept under a key of that path.
      def stored_key(key)
        rooted = Build::Key.rooted(key, @layout.root)
        File.file?(@context.store.build_path(rooted)) ? rooted : key
      end

      def weights = @weights ||= Build::Weights.new(@context.store)

      def limit
        @context.processors * 2
      end

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
          package: item.package, facts: item.facts, specification: item.derived.specification,
          gem_dir: gem_dir(item), extension_dir: "#{@layout.extensions}/#{item.full_name}",
          key: item.build_key, package_manifest: item.manifest
        )
        item.seconds = result.seconds unless result.cached?
        item.build = result.manifest
        item.build_key = stored_key(item.build_key) if item.build
        @results << [:built, item]
      rescue StandardError, ScriptError, NoMemoryError => e # else nobody would hear of it
        @results << [:failed, item, e]
      end
    end
  end
end
