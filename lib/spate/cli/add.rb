# frozen_string_literal: true

module Spate
  module CLI
    # `spate add GEM`
    class Add < Command::Delegated
      summary "Add gems to the Gemfile, resolve and install"
      usage "spate add GEM [GEM ...] [options]"
      option :version, "-v", "--version", "REQUIREMENTS", "for example \"~> 3.1\" or \">= 1.0, < 3\""
      option :strict, "--strict", "require exactly the version that is found: = 3.1.8"
      option :optimistic, "--optimistic", "require at least the version that is found: >= 3.1 for 3.1.8"
      option :group, "-g", "--group", "GROUPS", "in these groups, separated by commas"
      option :require, "-r", "--require", "PATH", "the file to require, or false"
      option :source, "-s", "--source", "URL", "from this gem source"
      option :path, "--path", "DIR", "from this folder"
      option :git, "--git", "URL", "from this git repository"
      option :github, "--github", "OWNER/NAME", "from this repository of GitHub"
      option :branch, "--branch", "NAME", "branch of the git repository"
      option :ref, "--ref", "REVISION", "revision of the git repository"
      option :glob, "--glob", "PATTERN", "where the folder or repository has the gemspec"
      shared_options
      example "spate add rack-attack", "writes gem \"rack-attack\", \"~> 6.8\""
      example "spate add rspec --group test,development --require false", "in two groups, not required"
      note "Without a requirement, Bundler writes ~> and the newest version that fits.\n" \
           "The gems are appended to the Gemfile; the rest of it is unchanged. Gemfile and lockfile are only\n" \
           "written if versions are found. Other options of `bundle add` are passed to Bundler."
    end
  end
end
