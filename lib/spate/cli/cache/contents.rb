# frozen_string_literal: true

module Spate
  module CLI
    class Cache
      # `spate cache gc [--older-than AGE] [LOCKFILE ...]`
      class Gc < Subcommand
        DEFAULT = "30d"

        # A lockfile lacks checksums, so its archives would be removed.
        class Unnamed < Error
          EXIT_CODE = 3

          def initialize(path, names)
            super("#{path} has no checksum of #{names.first}#{" and #{names.size - 1} more" if names.size > 1}, " \
                  "and this machine has not installed it, so the archives to keep are unknown",
                  hint: "run `spate lock --add-checksums`, or `spate install` there first")
          end
        end

        def run
          age = ::Spate::Store::Prune.duration(values[:older_than] || DEFAULT)
          dry = values[:dry_run] || false
          found = contents { |all| all.collect(before: Time.now - age, **named, dry: dry) }
          json? ? json.call(event: :cache_collected, dry_run: dry, **found.to_h) : print_result(found)
          0
        end

        private

        def print_result(found)
          left = " and #{Units.count(found.unfinished, "unfinished file")}" if found.unfinished.positive?
          terminal.info "#{values[:dry_run] ? "would remove" : "removed"} #{Units.number(found.removed)} of " \
                        "#{Units.number(found.documents + found.blobs)}#{left} (#{Units.bytes(found.bytes)})"
        end

        # The entries to keep: gems of the lockfiles, their archives, and entries for whole lockfiles. Raises Unnamed.
        def named
          found = operands.map { |path| [path, read(path)] }
          whole = operands.map { |path| RemoteCache::Entry.of_lockfile(File.binread(path)) }
          { names: found.flat_map { |_, lockfile| lockfile.specs.map(&:full_name) }.uniq + whole,
            archives: found.flat_map { |path, lockfile| archives(path, lockfile) }.uniq }
        end

        # SHA-256 digests of the archives, from the lockfile or from previous lookups on this machine.
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

        # Rejects a lockfile without dependencies, because it is truncated or not a lockfile.
        def read(path)
          lockfile = Lockfile.parse(File.read(path, encoding: "UTF-8"), path: path)
          return lockfile if lockfile.dependencies.any?

          raise UsageError.new("#{path} has no gems under DEPENDENCIES", hint: "name a complete Gemfile.lock")
        rescue SystemCallError => e
          raise UsageError.new("#{path} cannot be read: #{SystemCallError.new(nil, e.errno).message}",
                               hint: "name a Gemfile.lock")
        end
      end

      # `spate cache verify`: reads all entries of the cache.
      class Verify < Subcommand
        FAULTY = 9

        def run
          operands!
          foreign = faults = 0
          found = contents do |all|
            all.verify do |fault|
              untrusted_signer?(fault) ? foreign += 1 : faults += 1
              print_fault(fault)
            end
          end
          return finish_json(found, faults, foreign) if json?

          others = ", #{Units.number(foreign)} of signers that are not trusted here" if foreign.positive?
          terminal.info "#{Units.count(found[:documents], "document")} and #{Units.count(found[:blobs], "blob")} " \
                        "(#{Units.bytes(found[:bytes])}), #{Units.count(faults, "fault")}#{others}"
          faults.zero? ? 0 : FAULTY
        end

        private

        # Whether the build is signed by a signer that is not trusted here, which is not a fault.
        def untrusted_signer?(fault) = RemoteCache::Trust.untrusted_signer(fault.reason.split(": ", 2).last)

        def finish_json(found, faults, foreign)
          json.call(event: :cache_verified, ok: faults.zero?, faults: faults, foreign: foreign, **found)
          faults.zero? ? 0 : FAULTY
        end

        def print_fault(fault)
          return json.call(event: untrusted_signer?(fault) ? :cache_foreign : :cache_fault, **fault.to_h) if json?

          progress.clear
          words = "#{fault.name}: #{Util::Terminal.plain(fault.reason)}"
          untrusted_signer?(fault) ? terminal.info(words) : terminal.error(words)
        end
      end
    end
  end
end
