# frozen_string_literal: true

module Spate
  # Gems from git repositories, in Bundler's layout: a bare clone in cache/bundler/git and a checkout in bundler/gems,
  # whose gemspecs are replaced by their evaluated form. Repositories are only accessed through the git command.
  module Git
    autoload :Command, "spate/git/command"
    autoload :Names, "spate/git/names"
    autoload :Repository, "spate/git/repository"
    %i[AtomicFolder WorkingTree].each { |name| autoload name, "spate/git/working_tree" }
    %i[Checkout Tree].each { |name| autoload name, "spate/git/checkout" }
    %i[Gemspec Gemspecs].each { |name| autoload name, "spate/git/gemspecs" }
    %i[CommandFailed Error NotInstalled NotLocal RevisionMissing TemporaryFailure UnusableGemspec]
      .each { |name| autoload name, "spate/git/errors" }

    # Creates the checkout of a lockfile's GitSource, or uses an existing one. settings: for credentials, the number of
    # tries and vendor/cache; these are not used without settings. vendor: a Registry::Vendor. local: no network.
    # Returns a Checkout. Raises the errors of Git (exit code 13).
    def self.checkout(source, store:, layout:, settings: {}, vendor: nil, local: false, env: ENV)
      WorkingTree.new(source, store: store, layout: layout, settings: settings, vendor: vendor, local: local,
                              env: env.to_h).checkout
    end
  end
end
