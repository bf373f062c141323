# frozen_string_literal: true

module Spate
  module Git
    # A git source cannot be used.
    class Error < Spate::Error
      EXIT_CODE = 13
    end

    class NotInstalled < Error
      def initialize
        super("the lockfile has gems from git repositories, but the `git` command was not found",
              hint: "install the package git")
      end
    end

    # A git command failed. The details are its output without credentials.
    class CommandFailed < Error
      # uri: address of the repository without credentials. command: [String]. output: git's output without credentials.
      def initialize(uri, command, output)
        lines = output.lines(chomp: true).reject(&:empty?)
        reason = lines.grep(/\A(?:fatal|error|ERROR):/).first || lines.last || "no message"
        super("git #{command.first} of #{uri} failed: #{reason.sub(/\A\w+:\s*/, "")}",
              hint: CommandFailed.hint(output, uri), details: lines.last(10))
      end

      def self.hint(output, uri)
        case output
        when /could not read (?:Username|Password)|Authentication failed|HTTP Basic: Access denied/i
          host = uri[%r{\A\w+://([^/:]+)}, 1] || "HOST"
          "bundle config set --global #{host} USER:PASSWORD, or a credential helper of git"
        when /Permission denied \(publickey/i then "the host rejected this user's ssh key; list the keys: ssh-add -l"
        when /Host key verification failed/i then "connect once with ssh to accept the host's key"
        when /transport '\w+' not allowed/i
          "git config --global protocol.file.allow always, if you trust this repository"
        when /Could not resolve host|timed out|unreachable/i then "check the network and the proxy settings"
        end
      end
    end

    # A failure that may be temporary.
    class TemporaryFailure < CommandFailed
      include Util::Retriable

      PATTERN = /could not resolve host|connection (?:refused|reset|timed out)|operation timed out|early EOF|RPC failed|
                 remote end hung up|returned error: (?:429|5\d\d)|unexpected disconnect|network is unreachable/xi
    end

    class RevisionMissing < Error
      def initialize(uri, revision)
        super("revision #{revision} does not exist in #{uri}",
              hint: "the branch may have been rewritten: spate update --source #{File.basename(uri, ".git")}")
      end
    end

    # With --local, neither vendor/cache nor an earlier clone has the revision.
    class NotLocal < Error
      def initialize(uri, revision)
        super("revision #{revision[0, 12]} of #{uri} is not on this machine, and --local does not use the network",
              hint: "run `spate install` once without --local, or `bundle cache`")
      end
    end

    # A gemspec that raises an error, or that RubyGems rejects.
    class UnusableGemspec < Error
      def initialize(path, reason)
        super("#{path} cannot be used: #{reason.lines.first.to_s.strip}", details: reason.lines(chomp: true).first(20))
      end
    end
  end
end
