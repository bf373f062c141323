# frozen_string_literal: true

module Spate
  module CLI
    # `spate cache`: shares the downloads and builds of one machine with a team.
    class Cache < Command
      autoload :Key, "spate/cli/cache/key"
      autoload :Push, "spate/cli/cache/push"
      autoload :Status, "spate/cli/cache/status"
      %i[NoCache Subcommand].each { |name| autoload name, "spate/cli/cache/subcommand" }
      %i[Distrust Off Setting Trust Use].each { |name| autoload name, "spate/cli/cache/setting" }
      %i[Gc Verify].each { |name| autoload name, "spate/cli/cache/contents" }

      SUBCOMMANDS = { "use" => :Use, "off" => :Off, "trust" => :Trust, "distrust" => :Distrust, "key" => :Key,
                      "status" => :Status, "push" => :Push, "gc" => :Gc, "verify" => :Verify }.freeze

      summary "Share archives, builds and compile caches between machines"
      usage "spate cache use ADDRESS          https://, s3://bucket/prefix, or a folder; saved in the settings"
      usage "spate cache off                  remove the setting, or use no cache here if one is set globally"
      usage "spate cache trust NAME:KEY       use builds signed with that key; saved in the settings"
      usage "spate cache distrust NAME        remove the key from the trusted signers"
      usage "spate cache key NAME [FILE]      create a signing key in FILE (NAME.pem), print its public key"
      usage "spate cache key --show NAME [FILE]   print the public key of an existing key"
      usage "spate cache status               hits, misses, time saved"
      usage "spate cache push [--dry-run]     send what is missing from the cache"
      usage "spate cache gc [--older-than AGE] [LOCKFILE ...]   remove old entries that no lockfile names"
      usage "spate cache verify               read all entries, and list damage"
      option :global, "--global", "use, off, trust, distrust: for all applications of this user"
      option :dry_run, "--dry-run", "push, gc: only print what would be done"
      option :show, "--show", "key: only print the public key of an existing key"
      option :noted, "--noted", "push: skip what was sent this week; stop after ten minutes"
      option :older_than, "--older-than", "AGE", "gc: only entries older than this; default: 30d"
      bundle_options
      common_options
      example "spate cache use s3://acme-builds/ruby", "use the team's cache"
      example "spate cache trust ci:q8nUFhgZ4iJ...=", "use builds signed by ci"
      example "spate cache push --dry-run", "list what would be sent, and what not, with the reason"
      note "For one run: SPATE_CACHE is the address, SPATE_CACHE_KEYS the trusted keys, SPATE_CACHE_KEY the signing\n" \
           "key (its text or its file), needed to send. See docs/team-cache.md. `spate cache` without a command is\n" \
           "`bundle cache`."

      # Runs `bundle cache`, which fills vendor/cache, unless the first argument is a word or requests help.
      def self.run(argv, terminal:, env:)
        argv = ["--help", *argv.drop(1)] if argv.first == "help"
        ours = argv.first && (!argv.first.start_with?("-") || %w[-h --help].include?(argv.first))
        return super if ours

        terminal.hint "this is `bundle cache`; for the team's cache: spate cache --help" if argv.empty?
        PassThrough.new("cache", argv, terminal: terminal, env: env).run
      end

      def run
        name, rest = Command::Subcommand.choose("spate cache", operands, SUBCOMMANDS.keys)
        Cache.const_get(SUBCOMMANDS[name]).new(rest, values: values, terminal: terminal, context: context).run
      end
    end
  end
end
