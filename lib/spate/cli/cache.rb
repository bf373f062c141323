# frozen_string_literal: true

module Spate
  module CLI
    # `spate cache`: what one machine made, for the others of a team.
    class Cache < Command
      autoload :Distrust, "spate/cli/cache/distrust"
      autoload :Gc, "spate/cli/cache/gc"
      autoload :Key, "spate/cli/cache/key"
      autoload :NoCache, "spate/cli/cache/subcommand"
      autoload :Off, "spate/cli/cache/off"
      autoload :Push, "spate/cli/cache/push"
      autoload :Setting, "spate/cli/cache/setting"
      autoload :Status, "spate/cli/cache/status"
      autoload :Subcommand, "spate/cli/cache/subcommand"
      autoload :Trust, "spate/cli/cache/trust"
      autoload :Use, "spate/cli/cache/use"
      autoload :Verify, "spate/cli/cache/verify"

      SUBCOMMANDS = { "use" => :Use, "off" => :Off, "trust" => :Trust, "distrust" => :Distrust, "key" => :Key,
                      "status" => :Status, "push" => :Push, "gc" => :Gc, "verify" => :Verify }.freeze

      summary "Share what was fetched and built with the machines of a team"
      usage "spate cache use ADDRESS          https://, s3://bucket/prefix, or a folder; remembered"
      usage "spate cache off                  forget it, or have none here where all of this user's have one"
      usage "spate cache trust NAME:KEY       take what the holder of that key has signed; remembered"
      usage "spate cache distrust NAME        no more"
      usage "spate cache key NAME [FILE]      create a signing key in FILE (NAME.pem), print its public key"
      usage "spate cache key --show NAME [FILE]   print the public key of an existing key"
      usage "spate cache status               hits, misses, what it saved"
      usage "spate cache push [--dry-run]     send what this bundle has and the cache has not"
      usage "spate cache gc [--older-than AGE] [LOCKFILE ...]   remove what no lockfile names and is older"
      usage "spate cache verify               read all, and list damage"
      option :global, "--global", "use, off, trust, distrust: for all of this user's applications"
      option :dry_run, "--dry-run", "push, gc: only tell"
      option :show, "--show", "key: only print the public key of an existing key"
      option :noted, "--noted", "push: what was sent this week is not looked for again; ten minutes at most"
      option :older_than, "--older-than", "AGE", "gc: only what is older; 30d"
      bundle_options
      common_options
      example "spate cache use s3://acme-builds/ruby", "where the team's cache is"
      example "spate cache trust ci:q8nUFhgZ4iJ...=", "whose builds are taken"
      example "spate cache push --dry-run", "what would be sent, and what not and why"
      note "SPATE_CACHE is the address for one run, SPATE_CACHE_KEYS whom to trust, SPATE_CACHE_KEY the key to sign\n" \
           "with (its text or its file): who has one sends. docs/team-cache.md has more. `spate cache` alone, and\n" \
           "with options alone, is `bundle cache`."

      # What is none of these is Bundler's `cache`, which fills vendor/cache.
      def self.run(argv, terminal:, env:)
        argv = ["--help", *argv.drop(1)] if argv.first == "help"
        ours = argv.first && (!argv.first.start_with?("-") || %w[-h --help].include?(argv.first))
        return super if ours

        terminal.hint "this is `bundle cache`; the team's cache: spate cache --help" if argv.empty?
        PassThrough.new("cache", argv, terminal: terminal, env: env).run
      end

      def run
        name, *rest = operands
        unless SUBCOMMANDS.key?(name)
          near = Ground::Suggestion.near(name, SUBCOMMANDS.keys)
          raise UsageError.new("cache has no command #{name.inspect}",
                               hint: near ? "did you mean `spate cache #{near}`?" : "spate cache --help")
        end

        Cache.const_get(SUBCOMMANDS[name]).new(rest, values: values, terminal: terminal, context: context).run
      end
    end
  end
end
