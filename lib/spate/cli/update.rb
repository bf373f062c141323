# frozen_string_literal: true

module Spate
  module CLI
    # `spate update [GEM ...]`
    class Update < Command::Delegated
      summary "Update gems within the Gemfile's requirements, and install"
      usage "spate update [GEM ...] [options]"
      option :all, "--all", "all gems; the default"
      option :conservative, "--conservative", "do not update gems that the named ones share with others"
      option :patch, "--patch", "prefer the newest patch version: 1.2.3 to 1.2.9"
      option :minor, "--minor", "prefer the newest minor version: 1.2.3 to 1.9.0"
      option :major, "--major", "prefer the newest version; the default"
      option :strict, "--strict", "with --patch or --minor: never go further"
      option :pre, "--pre", "also prereleases"
      option :group, "-g", "--group", "GROUPS", "gems of these groups of the Gemfile", kind: :list
      option :source, "--source", "NAMES", "gems of these sources", kind: :list
      option :ruby, "--ruby", "the Ruby version in the lockfile"
      option :bundler, "--bundler", "[VERSION]", "the Bundler version in the lockfile; Bundler also installs"
      option :local, "--local", "no network: use vendor/cache and installed gems"
      option :gemfile, "--gemfile", "FILE", "the Gemfile to use, instead of the nearest one"
      shared_options
      example "spate update nokogiri", "other gems change only if nokogiri requires it"
      example "spate update --all --minor --strict", "no new major versions"
      example "spate update rails --skip-install", "only write Gemfile.lock"
      note "Prints what changed. The Gemfile is unchanged: `spate outdated` lists versions that it excludes.\n" \
           "Other options of `bundle update` are passed to Bundler; with --full-index, --redownload and --force\n" \
           "Bundler also installs."
    end
  end
end
