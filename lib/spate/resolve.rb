# frozen_string_literal: true

module Spate
  # Changes of a lockfile. Bundler itself resolves, in a child process, so that the lockfile and the Gemfile are
  # Bundler's, byte by byte; Spate replaces what takes Bundler most of its time: the index of the gem sources, and parts
  # of the resolver that run thousands of times. See docs/resolve.md.
  #
  # The files in child/ are loaded into that process (Gemfile::BundleCommand) after Bundler and before its command line.
  module Resolve
    autoload :Graph, "spate/resolve/graph"
    autoload :Merge, "spate/resolve/merge"
    autoload :Newest, "spate/resolve/newest"
    autoload :Turn, "spate/resolve/turn"
    autoload :Unchanged, "spate/resolve/unchanged"
  end
end
