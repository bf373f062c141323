# frozen_string_literal: true

module Spate
  module Gemfile
    # Checks whether the lockfile satisfies the Gemfile, by running Bundler in a child process. The result is cached
    # with a fingerprint of all its inputs, and reused without Bundler while the fingerprint is unchanged.
    module Check
      KIND = "checks"
      # Settings that may affect the result.
      SETTINGS = %w[
        frozen deployment force_ruby_platform with without only plugins cache_path simulate_version prefer_local
        disable_local_branch_check disable_local_revision_check
      ].freeze

      module_function

      # Part of the store key of results that other machines have signed, so that they are not read without trusted
      # keys.
      SIGNED = :signed

      # Returns the cached Facts, or nil if there are none or an input has changed. trusts: a callable (key id, Unix
      # time) that returns whether to accept a signature of another machine, or nil to accept none.
      def recall(store:, location:, settings:, trusts: nil)
        found = records(store, location, settings, trusts)
        found.find { |record| record.usable?(settings.env, location) == true }&.part(0)
      end

      # A lazy list of [Record] for the same content of Gemfile and lockfile: first records for every checkout, then for
      # this checkout only, then from other machines.
      def records(store, location, settings, trusts = nil)
        digests = digests(location)
        [nil, location.root, *(SIGNED if trusts)]
          .lazy
          .flat_map { |from| kept(store, key(location, settings, from, digests)).to_a }
          .select { |record| record.signer.nil? || trusts.call(*record.signer) }
      end

      # Stores the facts of an evaluation if all their inputs are known. policy: nil if the evaluation was not traced.
      def keep(facts, policy, location:, settings:, store:)
        print, facts.volatile = policy ? Fingerprint.of(policy, location, settings.env) : [nil, [Observation.obstacle]]
        return facts unless store && facts.rememberable?

        remember(store, key(location, settings, policy.bound),
                 Record.of(location, { fingerprint: print }, facts.without_secrets))
        facts
      end

      # Stores a Record from another machine.
      def adopt(record, location:, settings:, store:)
        remember(store, key(location, settings, SIGNED), record)
      end

      # Starts Bundler in a child process and immediately returns an Evaluation, whose `value` is the Facts. A cacheable
      # result is written to the store (which may be nil). read_only: see Observation.
      def start(location:, settings:, store: nil, read_only: false)
        Evaluation.new({ location: location, settings: settings, store: store }, read_only: read_only)
      end

      # Waits for the Facts and returns them. Raises EvaluationFailed.
      def evaluate(...) = start(...).value

      # The sources as written in the Gemfile, for downloads. They include passwords, which are not cached.
      def sources(facts, **known) = facts.hidden? ? evaluate(**known).sources : facts.sources

      # The cached Facts or, if there are none, the result of running Bundler.
      def for(location:, settings:, store:)
        recall(store: store, location: location, settings: settings) ||
          evaluate(store: store, location: location, settings: settings)
      end

      # Record::List of the records stored under a key.
      def kept(store, key)
        list = store.read(KIND, key)&.then { |bytes| Marshal.load(bytes) } # rubocop:disable Security/MarshalLoad -- ours
        Record::List.new(list.to_a.map { |bytes| Record.new(bytes) })
      end

      def remember(store, key, record)
        store.write(KIND, key, Marshal.dump(kept(store, key).with(record).to_a.map(&:bytes)))
      end
      private_class_method :remember

      # The key of the stored records: a digest of this Ruby, the relevant settings, and the content of Gemfile and
      # lockfile. bound: see Policy#bound, or SIGNED. Records with different values of `bound` do not replace each
      # other.
      def key(location, settings, bound = nil, digests = digests(location))
        Store.sha256([Record::MAGIC, *Record.ruby, File.basename(location.gemfile),
                      settings.fingerprint(only: SETTINGS), *digests, *bound]
                     .map { |part| "#{part.to_s.bytesize}\n#{part}\n" }.join)
      end

      # Digests of Gemfile and lockfile, which the keys of all records include.
      def digests(location)
        lockfile = begin
          File.binread(location.lockfile)
        rescue Errno::ENOENT
          "-"
        end
        [File.binread(location.gemfile), lockfile].map { |text| Store.sha256(text) }
      end
      private_class_method :digests
    end
  end
end
