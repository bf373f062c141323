# frozen_string_literal: true

module Spate
  module CLI
    # `spate store`: manages the machine's store, independent of a bundle.
    class Store < Command
      autoload :Report, "spate/cli/store/report"

      SUBCOMMANDS = %w[status verify prune forget path].freeze
      DAMAGED = 9

      summary "Manage the store that all projects share"
      usage "spate store status           show its contents and the projects that use it"
      usage "spate store verify           read everything, repair damage"
      usage "spate store prune            remove entries that no project uses"
      usage "spate store forget GEM ...   rebuild the gem at its next installation"
      usage "spate store path             print its path"
      option :older_than, "--older-than", "AGE", "prune: only entries unused for this long; default: 30d"
      option :dry_run, "--dry-run", "prune, verify: only print what would be done"
      option :store, "--store", "DIR", "the store's home, instead of $SPATE_HOME or the cache folder"
      common_options
      example "spate store prune --older-than 2w --dry-run", "show how much could be freed"
      example "spate store forget nokogiri", "remove builds of all versions; nokogiri-1.16.0 selects one"
      note "AGE is a number and s, m, h, d or w. Prune does not remove files from projects."

      def run
        name, rest = Subcommand.choose("spate store", operands, SUBCOMMANDS)
        return forget(rest) if name == "forget"

        unless rest.empty?
          raise UsageError.new("`spate store #{name}` takes no operands, got #{rest.first.inspect}",
                               hint: "spate store --help")
        end

        send(name)
      end

      private

      # names: GEM or GEM-VERSION.
      def forget(names)
        raise UsageError.new("`spate store forget` needs a gem", hint: "spate store forget nokogiri") if names.empty?

        invalidations = Build::Cache::Invalidations.of(store)
        found = names.flat_map { |name| invalidations.matching(name).tap { |all| tell_none(name) if all.empty? } }.uniq
        found.each { |full_name| invalidations.forget(full_name) }
        lines = found.map { |full_name| "removed the builds of #{Util::Terminal.plain(full_name)}" }
        json? ? json.call(event: :store_forgotten, builds: found) : terminal.out.puts(lines)
        0
      end

      def tell_none(name) = terminal.tell("the store has no build of #{Util::Terminal.plain(name)}")

      def store = context.store

      def path
        json? ? json.call(event: :store, path: store.root) : terminal.out.puts(store.root)
        0
      end

      def status
        found = ::Spate::Store::Status.new(store).call
        json? ? json.call(event: :store_status, **found.to_h) : Report.new(terminal.out).status(found)
        0
      end

      def verify
        found = ::Spate::Store::Verify.new(store, events: events, dry_run: values[:dry_run]).call
        if json?
          json.call(event: :store_verified, ok: found.ok?, **found.to_h)
        else
          Report.new(terminal.out).verified(found)
        end
        found.damaged.any? { |damage| damage.outcome == :found } ? DAMAGED : 0
      end

      def prune
        age = values[:older_than]
        age = age ? ::Spate::Store::Prune.duration(age) : ::Spate::Store::Prune::DEFAULT_AGE
        found = ::Spate::Store::Prune.new(store, older_than: age, dry_run: values[:dry_run], events: events,
                                                 compile_caches: method(:compile_caches)).call
        json? ? json.call(event: :store_pruned, **found.to_h) : Report.new(terminal.out).pruned(found)
        0
      end

      def compile_caches(root, now, age)
        require "spate/native/boot"
        ::Spate::CompileCache::Prune.new(root, now: now, gone: age).removable
      rescue LoadError
        [] # built without support for compile caches, so there are none
      end

      def events
        Events.new.tap { |events| events.subscribe { |event| json.call(event) } if json? }
      end
    end
  end
end
