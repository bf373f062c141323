# frozen_string_literal: true

require "test_helper"
require "spate/native/install"

module Spate
  # The stored builds that a bundle may use: builds of this machine, and of trusted signers.
  class VariantsTest < Minitest::Test
    KEY = Store.sha256("key")
    SIGNERS = [["ab" * 16, 1_700_000_000]].freeze
    # Names of files that Spate versions before the team cache treat as variants and prune as builds.
    OLDER = /\A\h{16}\z/

    def store = @store ||= Store.open(home: folder, env: {})
    def variants = Build::Cache::Variants.new(store, KEY)

    def keep(inputs, signer: nil, sees: [])
      record = Build::Cache::Record.new(full_name: "alpha-1.0", signer: signer, sees: sees)
      id = variants.name(inputs, record)
      store.native.write_manifest(store.build_path(variants.key(id)), "00" * 32, [], record.to_s)
      variants.commit(id, { "" => write("inputs", "") })
      id
    end

    def test_all_returns_only_unsigned_variants_without_signers
      keep("one")
      keep("two")

      assert_equal 2, variants.all.size
    end

    def test_signed_builds_and_their_dependents_need_a_trusted_signer
      own = keep("one")
      others = [keep("one", signer: SIGNERS.first), keep("one", sees: SIGNERS)]
      asked = []

      assert_equal [own], ids(variants.all)
      assert_equal [own], ids(variants.all { |*signer| asked.push(signer) && false })
      assert_equal SIGNERS * 2, asked
      assert_equal [own, *others].sort, ids(variants.all { true }).sort
      assert_equal [own], others.map { |id| id[/\A\h+/] }.uniq
      assert_equal 1, variants.all { true }.map(&:identity).uniq.size, "builds that see one have the same key"
    end

    def test_older_versions_ignore_signed_builds
      keep("one", signer: SIGNERS.first)

      assert_empty Dir.children(store.path("variants", KEY)).grep(OLDER)
      assert_empty Store::Sweep.new(store, now: Time.now + (30 * 86_400)).stale.grep(/builds/),
                   "nor takes them for litter"
    end

    def test_two_builds_of_one_signer_are_both_kept
      keep("one", signer: SIGNERS.first)
      keep("one", signer: [SIGNERS.first.first, 1_700_000_001])

      assert_equal(2, variants.all { true }.size)
    end

    def test_signed_builds_do_not_evict_unsigned_ones
      own = keep("one")
      (0..variants.class::MOST).each { |time| keep("one", signer: [SIGNERS.first.first, time]) }

      assert_equal [own], ids(variants.all)
      assert_equal(1 + variants.class::MOST, variants.all { true }.size)
    end

    def test_variant_is_pruned_with_its_build
      keep("one", signer: SIGNERS.first)
      Store::Prune.new(store).call
      assert_equal 1, variants.all { true }.size

      Store::Prune.new(store, older_than: 0).call
      assert_empty Dir.glob(store.path("{builds,variants}/**/*")).select { |path| File.file?(path) }
    end

    private

    def ids(entries) = entries.map { |entry| entry.key.delete_prefix("#{KEY}-") }
  end
end
