# frozen_string_literal: true

module Spate
  module Gemfile
    # Whether the lockfile is what the Gemfile asks for. Bundler itself says so, in a child process; its answer is kept
    # with a fingerprint of all that it depends on, and recalled without Bundler while that is the same.
    module Check
      KIND = "checks"
      # Settings that the answer may depend on.
      SETTINGS = %w[
        frozen deployment force_ruby_platform with without only plugins cache_path simulate_version prefer_local
        disable_local_branch_check disable_local_revision_check
      ].freeze

      module_function

      # Answers signed by other machines are stored apart: without trusted keys they are not read.
      SIGNED = :signed

      # Cached facts, nil where none are cached or an input changed. trusts: whether another machine's signature counts,
      # callable with a key's id and a Unix time; nil: it does not.
      def recall(store:, location:, settings:, trusts: nil)
        found = records(store, location, settings, trusts)
        found.find { |record| record.usable?(settings.env, location) == true }&.part(0)
      end

      # Records for every checkout, then those for this one alone, then those of others: lazily [Record]. Their texts of
      # Gemfile and lockfile are the same.
      def records(store, location, settings, trusts = nil)
        digests = digests(location)
        [nil, location.root, *(SIGNED if trusts)]
          .lazy
          .flat_map { |from| kept(store, key(location, settings, from, digests)).to_a }
          .select { |record| record.signer.nil? || trusts.call(*record.signer) }
      end

      # Facts as an evaluation told them; remembered where all that they depend on is known. policy: nil where nothing
      # could be observed.
      def keep(facts, policy, location:, settings:, store:)
        print, facts.volatile = policy ? Fingerprint.of(policy, location, settings.env) : [nil, [Observation.obstacle]]
        return facts unless store && facts.rememberable?

        remember(store, key(location, settings, policy.bound),
                 Record.of(location, { fingerprint: print }, facts.without_secrets))
        facts
      end

      # A Record that has a signer.
      def adopt(record, location:, settings:, store:)
        remember(store, key(location, settings, SIGNED), record)
      end

      # Starts Bundler in a child process and answers at once: an Evaluation, whose `value` is the Facts. A Gemfile
      # check that can be remembered is written to the store (which may be nil). read_only: see Observation.
      def start(location:, settings:, store: nil, read_only: false)
        Evaluation.new({ location: location, settings: settings, store: store }, read_only: read_only)
      end

      # Facts, after waiting for them. Raises EvaluationFailed.
      def evaluate(...) = start(...).value

      # Sources as the Gemfile spells them, with the passwords, which are not remembered: for downloads.
      def sources(facts, **known) = facts.hidden? ? evaluate(**known).sources : facts.sources

      # What is remembered, or else Bundler's answer.
      def for(location:, settings:, store:)
        recall(store: store, location: location, settings: settings) ||
          evaluate(store: store, location: location, settings: settings)
      end

      # Record::List of what lies under a key.
      def kept(store, key)
        list = store.read(KIND, key)&.then { |bytes| Marshal.load(bytes) } # rubocop:disable Security/MarshalLoad -- ours
        Record::List.new(list.to_a.map { |bytes| Record.new(bytes) })
      end

      def remember(store, key, record)
        store.write(KIND, key, Marshal.dump(kept(store, key).with(record).to_a.map(&:bytes)))
      end
      private_class_method :remember

      # The name of the memory: this Ruby, the settings that matter, the texts of Gemfile and lockfile. bound: see
      # Policy#bound, or SIGNED; such records do not displace others.
      def key(location, settings, bound = nil, digests = digests(location))
        Store.sha256([Record::MAGIC, *Record.ruby, File.basename(location.gemfile),
                      settings.fingerprint(only: SETTINGS), *digests, *bound]
                     .map { |part| "#{part.to_s.bytesize}\n#{part}\n" }.join)
      end

      # Of Gemfile and lockfile: one name is made of them for each of the three kinds of records.
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
