# frozen_string_literal: true

require "spate/tracer"
require "spate/native/install"

# Copies builds from the store of one project to that of another, for tests of installs.
module RemoteCarrier
  RemoteCache = Spate::RemoteCache

  def signing_key = @signing_key ||= RemoteCache::Trust::PrivateKey.generate

  # The environment of a project that trusts the signer. more: text after the key.
  def trust(more = "") = { SPATE_CACHE_KEYS: "#{signing_key.public_key("ci")}#{more}" }

  # stored: [Build::Cache::Entry] of the first project's store. The block accepts an Entry and returns its Pack::Places.
  def carry(stored, from, project)
    skip "builds cannot be traced here" unless Spate::Tracer.available? == true
    stored.each do |build|
      entry, blob = facade(from).offer(build, signing_key)
      assert_kind_of RemoteCache::Entry, entry, entry.inspect
      to = facade(project)
      offer = to.choose(RemoteCache::Document.new([entry]).encode, entry.key, yield(entry))
      assert_kind_of RemoteCache::Builds::Offer, offer, offer.inspect
      to.accept(offer, blob)
    end
  end

  def environment(project) = ENV.to_h.merge(project.env).compact
  def settings(project) = Spate::Settings.load(root: project.folder, env: environment(project))
  def layout(project) = Spate::Layout.for(settings(project), project.folder, store: project.store)

  # keys: the trusted keys.
  def facade(project, *keys)
    keys = [signing_key.public_key("ci")] if keys.empty?
    options = { store: project.store, layout: layout(project), settings: settings(project) }
    builder = Spate::Build::Builder.new(**options, env: environment(project))
    RemoteCache::Builds.new(**options, builder: builder, trust: RemoteCache::Trust.new(keys))
  end
end
