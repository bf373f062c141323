# frozen_string_literal: true

require "install/build_case"
require "spate/ear"
require "spate/native/install"

# Projects share a store, in which somebody else's builds are; each uses them only if its own settings trust the signer.
class SignedBuildsTest < InstallBuildCase
  RemoteCache = Spate::RemoteCache

  def setup
    super
    skip "builds cannot be heard here" unless Spate::Ear.available? == true
    @key = RemoteCache::Trust::PrivateKey.generate
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

  def trust(more = "") = { SPATE_CACHE_KEYS: "#{@key.public_key("ci")}#{more}" }

  def grow(project)
    File.write(project.path("Gemfile"), "gem 'beta'\n", mode: "a")
    lock(project, %w[alpha beta])
  end

  # Puts the builds of these gems from the first machine's store into the other's.
  def brought(*names)
    names.each do |name|
      from = facade(@ci)
      stored = Spate::Build::Cache::Candidates.every(@ci.store).find { |one| one.record.full_name == "#{name}-1.0" }
      entry, blob = from.offer(stored, @key)
      assert_kind_of RemoteCache::Entry, entry, entry.inspect
      to = facade(project = another(name))
      places = RemoteCache::Pack::Places.of(layout(project), "#{name}-1.0")
      offer = to.choose(RemoteCache::Document.new([entry]).encode, entry.key, places)
      assert_kind_of RemoteCache::Builds::Offer, offer, offer.inspect
      to.accept(offer, blob)
    end
  end

  def environment(project) = ENV.to_h.merge(project.env).compact
  def settings(project) = Spate::Settings.load(root: project.folder, env: environment(project))
  def layout(project) = Spate::Layout.for(settings(project), project.folder, store: project.store)

  def facade(project)
    options = { store: project.store, layout: layout(project), settings: settings(project) }
    builder = Spate::Build::Builder.new(**options, env: environment(project))
    RemoteCache::Builds.new(**options, builder: builder, trust: RemoteCache::Trust.new([@key.public_key("ci")]))
  end
end
