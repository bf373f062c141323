# frozen_string_literal: true

require "install/build_case"
require "remote_cache/builds/carrier"

# Projects share a store, in which somebody else's builds are; each uses them only if its own settings trust the signer.
class SignedBuildsTest < InstallBuildCase
  include RemoteCarrier

  def setup
    super
    native("alpha", files: { "lib/flavour.rb" => "FLAVOUR = 7\n" })
    native("beta", extconf: "require 'alpha'\n$defs << \"-DSEEN=\#{ALPHA}\"", value: "SEEN",
                   dependencies: { "alpha" => ">= 1" })
    @ci = another("beta", home: "ci")
    assert_equal [%w[alpha beta], []], install(@ci)
  end

  def test_a_build_counts_for_who_trusts_its_signer
    brought("alpha")
    assert_equal [[], %w[alpha]], install(trusting = another("alpha"), **trust)
    assert_equal "1", value(trusting, "alpha")
    assert_equal [%w[alpha], []], install(another("alpha")), "another project builds by itself"
    assert_equal [[], %w[alpha]], install(another("alpha")), "and its own build serves it"
    assert_equal [[], %w[alpha]], install(another("alpha"), **trust), "and the other"
    assert_equal 0, run_install(trusting, **trust).last.exitstatus
    assert_empty trusting.store.then { |store| Spate::Store::Verify.new(store).call.damaged }
  end

  def test_a_key_that_signed_before_it_counts_is_none
    brought("alpha")
    assert_equal [%w[alpha], []], install(another("alpha"), **trust(":since=2999-01-01"))
    other = RemoteCache::Trust::PrivateKey.generate.public_key("other").to_s
    assert_equal [[], %w[alpha]], install(another("alpha"), SPATE_CACHE_KEYS: other), "by now its own"
  end

  def test_what_was_built_over_such_a_build_is_for_who_trusts_it
    brought("alpha")
    assert_equal [%w[beta], %w[alpha]], install(another("beta"), **trust)
    assert_equal [[], %w[alpha beta]], install(another("beta"), **trust)
    assert_equal [%w[alpha beta], []], install(another("beta")), "nothing of it reaches the others"
    assert_equal [[], %w[alpha beta]], install(another("beta"))
  end

  def test_an_install_into_a_bundle_that_has_such_a_build
    brought("alpha")
    project = another("alpha")
    assert_equal [[], %w[alpha]], install(project, **trust)
    grow(project)
    assert_equal [%w[beta], []], install(project, **trust)
    assert_equal [%w[alpha beta], []], install(another("beta"))
  end

  def test_a_build_and_the_one_that_it_saw_both_come_from_there
    brought("alpha", "beta")
    assert_equal [[], %w[alpha beta]], install(project = another("beta"), **trust)
    assert_equal "1", value(project, "beta")
    assert_equal [%w[alpha beta], []], install(another("beta"))
  end

  def test_whose_builds_one_saw_leaves_with_it
    brought("alpha")
    install(project = another("beta"), **trust)
    own = RemoteCache::Trust::PrivateKey.generate
    entry, blob = facade(project).offer(stored(project, "beta"), own)
    to = facade(project, own.public_key("own"))
    places = RemoteCache::Pack::Places.of(layout(project), "beta-1.0")
    document = RemoteCache::Document.new([entry]).encode
    assert_equal ["it saw a build signed by #{signing_key.id}, which is not trusted here"],
                 to.choose(document, entry.key, places)

    to = facade(project, own.public_key("own"), signing_key.public_key("ci"))
    kept = to.accept(to.choose(document, entry.key, places), blob)
    assert_equal [own.id, signing_key.id], kept.record.signers.map(&:first)
  end

  private

  def stored(project, name)
    Spate::Build::Cache::Candidates.every(project.store).find { |one| one.record.full_name == "#{name}-1.0" }
  end

  def grow(project)
    File.write(project.path("Gemfile"), "gem 'beta'\n", mode: "a")
    lock(project, %w[alpha beta])
  end

  # Puts the builds of these gems from the first machine's store into the other's.
  def brought(*names)
    names.each do |name|
      project = another(name)
      carry([stored(@ci, name)], @ci, project) { RemoteCache::Pack::Places.of(layout(project), "#{name}-1.0") }
    end
  end
end
