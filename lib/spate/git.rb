# frozen_string_literal: true

module Spate
  # Gems from git repositories, in Bundler's layout: a bare clone in cache/bundler/git and a checkout in bundler/gems,
  # in which gemspecs are replaced by their evaluated form. Repositories are accessed only with the git command.
  module Git
    autoload :Command, "spate/git/command"
    autoload :Names, "spate/git/names"
    autoload :Repository, "spate/git/repository"
    %i[AtomicFolder WorkingTree].each { |name| autoload name, "spate/git/working_tree" }
    %i[Checkout Tree].each { |name| autoload name, "spate/git/checkout" }
    %i[Gemspec Gemspecs].each { |name| autoload name, "spate/git/gemspecs" }
    %i[CommandFailed Error NotInstalled NotLocal RevisionMissing TemporaryFailure UnusableGemspec]
      .each { |name| autoload name, "spate/git/errors" }

    # Creates the checkout of a lockfile's GitSource, or uses an existing one. Returns a Checkout. Raises subclasses of
    # Git::Error. settings: for credentials and the number of retries. vendor: a Registry::Vendor, or nil. local:
    # whether to work without network.
    def self.checkout(source, store:, layout:, settings: {}, vendor: nil, local: false, env: ENV)
      WorkingTree.new(source, store: store, layout: layout, settings: settings, vendor: vendor, local: local,
                              env: env.to_h).checkout
    end
  end
end
