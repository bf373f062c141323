# frozen_string_literal: true

module Spate
  module CLI
    class Cache
      # `spate cache gc [--older-than AGE] [LOCKFILE ...]`
      class Gc < Subcommand
        DEFAULT = "30d"

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

        # Gems of the lockfiles, their archives as far as these say, and what is about the whole lockfile.
        def named
          lockfiles = operands.map { |path| read(path) }
          named = lockfiles.flat_map { |lockfile| lockfile.specs.map { |spec| [spec.full_name, lockfile] } }
          { names: named.map(&:first).uniq + operands.map { |path| RemoteCache::Entry.of_lockfile(File.binread(path)) },
            archives: named.filter_map { |name, lockfile| lockfile.digests(name)["sha256"] }.uniq }
        end

        def read(path)
          Lockfile.parse(File.read(path, encoding: "UTF-8"), path: path)
        rescue SystemCallError => e
          raise UsageError.new("#{path} cannot be read: #{e.message}", hint: "name a Gemfile.lock")
        end
      end
    end
  end
end
