# frozen_string_literal: true

module Spate
  # Gems from git repositories, with Bundler's layout: a bare clone in cache/bundler/git, a checkout in bundler/gems
  # whose gemspecs are replaced by their evaluated form. All access is through the git command.
  module Git
    autoload :Checkout, "spate/git/checkout"
    autoload :Command, "spate/git/command"
    autoload :CommandFailed, "spate/git/errors"
    autoload :Error, "spate/git/errors"
    autoload :Gemspec, "spate/git/gemspec"
    autoload :Gemspecs, "spate/git/gemspecs"
    autoload :Names, "spate/git/names"
    autoload :NotInstalled, "spate/git/errors"
    autoload :NotLocal, "spate/git/errors"
    autoload :AtomicFolder, "spate/git/atomic_folder"
    autoload :Repository, "spate/git/repository"
    autoload :RevisionMissing, "spate/git/errors"
    autoload :TemporaryFailure, "spate/git/errors"
    autoload :Tree, "spate/git/tree"
    autoload :UnusableGemspec, "spate/git/errors"
    autoload :WorkingTree, "spate/git/working_tree"

    # Creates the checkout of a lockfile's GitSource, or uses an existing one. settings: for credentials, the number of
    # tries and vendor/cache; without, none of these. vendor: a Registry::Vendor. local: no network. Returns a Checkout.
    # Raises the errors of Git (exit code 13).
    def self.checkout(source, store:, layout:, settings: {}, vendor: nil, local: false, env: ENV)
      WorkingTree.new(source, store: store, layout: layout, settings: settings, vendor: vendor, local: local,
                              env: env.to_h).checkout
    end
  end
end
