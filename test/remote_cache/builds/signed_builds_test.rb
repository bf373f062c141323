# frozen_string_literal: true

require "install/build_case"
require "remote_cache/carrier"

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

  private

  def grow(project)
    File.write(project.path("Gemfile"), "gem 'beta'\n", mode: "a")
    lock(project, %w[alpha beta])
  end

  # Puts the builds of these gems from the first machine's store into the other's.
  def brought(*names)
    names.each do |name|
      stored = Spate::Build::Cache::Candidates.every(@ci.store).find { |one| one.record.full_name == "#{name}-1.0" }
      carry([stored], @ci, project = another(name)) { RemoteCache::Pack::Places.of(layout(project), "#{name}-1.0") }
    end
  end
end
