# frozen_string_literal: true

module Spate
  # Changes a lockfile. Bundler resolves in a child process, so that the lockfile and the Gemfile are the same as with
  # Bundler. Spate replaces the parts of Bundler that take most of the time: the index of gem sources, and parts of the
  # resolver that run thousands of times. See docs/resolve.md.
  #
  # Files in child/ are loaded into this process (Gemfile::BundleCommand) after Bundler and before its command runs.
  module Resolve
    autoload :Graph, "spate/resolve/graph"
    autoload :Merge, "spate/resolve/merge"
    autoload :Newest, "spate/resolve/newest"
    autoload :Turn, "spate/resolve/turn"
    autoload :Unchanged, "spate/resolve/unchanged"
  end
end
