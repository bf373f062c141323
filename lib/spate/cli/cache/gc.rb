# frozen_string_literal: true

module Spate
  module CLI
    class Cache
      # `spate cache gc [--older-than AGE] [LOCKFILE ...]`
      class Gc < Subcommand
        DEFAULT = "30d"

        # A lockfile lacks checksums, so that archives it needs could be removed.
        class Unnamed < Error
          EXIT_CODE = 3

          def initialize(path, names)
            super("#{path} has no checksum of #{names.first}#{" and #{names.size - 1} more" if names.size > 1}, " \
                  "and this machine has not installed it, so the archives to keep are unknown",
                  hint: "run `bundle lock --add-checksums`, or `spate install` there first")
          end
        end

        def run
          age = ::Spate::Store::Prune.duration(values[:older_than] || DEFAULT)
          dry = values[:dry_run] || false
          found = contents { |all| all.collect(before: Time.now - age, **named, dry: dry) }
          json? ? json.call(event: :cache_collected, dry_run: dry, **found.to_h) : tell(found)
          0
        end

        private

        def tell(found)
          left = " and #{Units.count(found.unfinished, "unfinished file")}" if found.unfinished.positive?
          terminal.tell "#{values[:dry_run] ? "would remove" : "removed"} #{Units.number(found.removed)} of " \
                        "#{Units.number(found.documents + found.blobs)}#{left} (#{Units.bytes(found.bytes)})"
        end

        # The gems of the lockfiles, their archives, and the entries for whole lockfiles. Raises Unnamed.
        def named
          found = operands.map { |path| [path, read(path)] }
          whole = operands.map { |path| RemoteCache::Entry.of_lockfile(File.binread(path)) }
          { names: found.flat_map { |_, lockfile| lockfile.specs.map(&:full_name) }.uniq + whole,
            archives: found.flat_map { |path, lockfile| archives(path, lockfile) }.uniq }
        end

        # SHA-256 digests from the lockfile, or from previous lookups of this machine.
        def archives(path, lockfile)
          gems = lockfile.specs.select { |spec| spec.source.type == :gem }
          found = gems.to_h { |spec| [spec.full_name, lockfile.digests(spec.full_name)["sha256"] || remembered(spec)] }
          unknown = found.select { |_, sha256| sha256.nil? }.keys
          raise Unnamed.new(path, unknown) if unknown.any?

          found.values
        end

        def remembered(spec)
          domains = spec.source.remotes.map { |remote| sources.remotes.for(remote).domain }
          domains.lazy.filter_map { |domain| context.store.name_lookup(domain, spec.full_name) }.first
        end

        def sources
          @sources ||= ::Spate::Install::Fetch::Sources.new(settings: settings, store: context.store,
                                                            events: Events.new)
        end

        # A lockfile without dependencies is truncated, or not a lockfile.
        def read(path)
          lockfile = Lockfile.parse(File.read(path, encoding: "UTF-8"), path: path)
          return lockfile if lockfile.dependencies.any?

          raise UsageError.new("#{path} names no gem under DEPENDENCIES", hint: "name a whole Gemfile.lock")
        rescue SystemCallError => e
          raise UsageError.new("#{path} cannot be read: #{e.message}", hint: "name a Gemfile.lock")
        end
      end
    end
  end
end
