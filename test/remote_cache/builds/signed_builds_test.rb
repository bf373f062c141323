# frozen_string_literal: true

require "install/build_case"
require "remote_cache/builds/carrier"

# Projects share a store that contains signed builds. A project uses them only if its own settings trust the signer.
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

  def test_signed_build_is_used_only_if_the_signer_is_trusted
    brought("alpha")
    assert_equal [[], %w[alpha]], install(trusting = another("alpha"), **trust)
    assert_equal "1", value(trusting, "alpha")
    assert_equal [%w[alpha], []], install(another("alpha")), "another project builds it"
    assert_equal [[], %w[alpha]], install(another("alpha")), "and uses its own build again"
    assert_equal [[], %w[alpha]], install(another("alpha"), **trust), "the first project as well"
    assert_equal 0, run_install(trusting, **trust).last.exitstatus
    assert_empty trusting.store.then { |store| Spate::Store::Verify.new(store).call.damaged }
  end

  def test_build_signed_before_the_trusted_date_is_not_used
    brought("alpha")
    assert_equal [%w[alpha], []], install(another("alpha"), **trust(":since=2999-01-01"))
    other = RemoteCache::Trust::PrivateKey.generate.public_key("other").to_s
    assert_equal [[], %w[alpha]], install(another("alpha"), SPATE_CACHE_KEYS: other), "now built here"
  end

  def test_build_that_used_a_signed_build_needs_the_same_trust
    brought("alpha")
    assert_equal [%w[beta], %w[alpha]], install(another("beta"), **trust)
    assert_equal [[], %w[alpha beta]], install(another("beta"), **trust)
    assert_equal [%w[alpha beta], []], install(another("beta")), "not used without that trust"
    assert_equal [[], %w[alpha beta]], install(another("beta"))
  end

  def test_install_into_a_bundle_with_a_signed_build
    brought("alpha")
    project = another("alpha")
    assert_equal [[], %w[alpha]], install(project, **trust)
    grow(project)
    assert_equal [%w[beta], []], install(project, **trust)
    assert_equal [%w[alpha beta], []], install(another("beta"))
  end

  def test_build_and_its_dependency_both_come_from_the_cache
    brought("alpha", "beta")
    assert_equal [[], %w[alpha beta]], install(project = another("beta"), **trust)
    assert_equal "1", value(project, "beta")
    assert_equal [%w[alpha beta], []], install(another("beta"))
  end

  def test_signers_of_used_builds_are_sent_with_the_entry
    brought("alpha")
    install(project = another("beta"), **trust)
    own = RemoteCache::Trust::PrivateKey.generate
    entry, blob = facade(project).offer(stored(project, "beta"), own)
    to = facade(project, own.public_key("own"))
    places = RemoteCache::Pack::Places.of(layout(project), "beta-1.0")
    document = RemoteCache::Document.new([entry]).encode
    assert_equal ["it used a build signed by #{signing_key.id}, which is not trusted here"],
                 to.choose(document, entry.key, places)

    to = facade(project, own.public_key("own"), signing_key.public_key("ci"))
    kept = to.accept(to.choose(document, entry.key, places), blob)
    assert_equal [own.id, signing_key.id], kept.record.signers.map(&:first)
  end

  private

  def stored(project, name)
    Spate::Build::Cache::Variants.every(project.store).find { |one| one.record.full_name == "#{name}-1.0" }
  end

  def grow(project)
    File.write(project.path("Gemfile"), "gem 'beta'\n", mode: "a")
    lock(project, %w[alpha beta])
  end

  # Copies the builds of these gems from the first machine's store to the other's.
  def brought(*names)
    names.each do |name|
      project = another(name)
      carry([stored(@ci, name)], @ci, project) { RemoteCache::Pack::Places.of(layout(project), "#{name}-1.0") }
    end
  end
end
