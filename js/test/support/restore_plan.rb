# frozen_string_literal: true

module Spate
  # Restores an existing Plan like Restore::Run, which makes its own.
  module RestorePlan
    # client: responds to fetch(package, to:) -> Result, which responds to bytes. surroundings: see Record; nil to write
    # none. Returns a Report.
    def self.call(plan, store:, client:, configuration: nil, env: ENV, events: Events.new, options: JS::Options.new,
                  surroundings: nil)
      context = JS::Restore::Context.new(root: plan.root, env: env, store: store, events: events, options: options,
                                         configuration: configuration, client: client)
      sources = JS::Restore::Memory::Sources
      sources = surroundings && sources.of(plan, JS::Reading.new, sources.clock, store, env.to_h)
      JS::Restore::FolderError.guard(plan.root) do
        Install::BundleFolder.lock(plan.root, events) do
          JS::Restore::Execution.new(context, plan, surroundings: surroundings, sources: sources).call
        end
      end
    end
  end
end
