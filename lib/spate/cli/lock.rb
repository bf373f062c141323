# frozen_string_literal: true

module Spate
  module CLI
    # `spate lock`
    class Lock < Command::Delegated
      summary "Resolve after an edit of the Gemfile, without installing"
      usage "spate lock [options]"
      usage "spate lock --update [GEM ...] [options]"
      usage "spate lock --merge BASE OURS THEIRS"
      option :update, "--update", "[GEMS]", "update these gems, or all; with the options of `spate update`"
      option :add_platform, "--add-platform", "PLATFORMS", "also resolve for these: arm64-darwin x86_64-linux-musl",
             kind: :list
      option :remove_platform, "--remove-platform", "PLATFORMS", "no longer resolve for these", kind: :list
      option :normalize_platforms, "--normalize-platforms", "replace vague platforms by those that gems exist for"
      option :add_checksums, "--add-checksums", "add the section CHECKSUMS"
      option :merge, "--merge", "merge three versions of a lockfile, as git's merge driver"
      option :print, "--print", "print the lockfile instead of writing it"
      option :lockfile, "--lockfile", "FILE", "write this file"
      option :gemfile, "--gemfile", "FILE", "the Gemfile to use, instead of the nearest one"
      option :local, "--local", "no network: use vendor/cache and installed gems"
      shared_options(skip_install: false)
      example "spate lock", "versions that the Gemfile still allows are kept"
      example "spate lock --add-platform arm64-darwin", "for a colleague's machine"
      example "git config merge.gemfile-lock.driver \"spate lock --merge %O %A %B\"",
              "git merges lockfiles (docs/resolve.md)"
      note "Prints what changed. Other options of `bundle lock` are passed to Bundler."
    end
  end
end
