# frozen_string_literal: true

module Spate
  module Gemfile
    # Maps an exit status of Bundler (`status_code` of its error classes) to Spate's exit code and, if known, a hint.
    #
    # code:: see docs/exit-codes.md
    # hint:: String or nil
    BundlerStatus = Struct.new(:code, :hint) do
      # status: Integer, or a text if a signal ended Bundler. output: its last lines.
      def self.of(status, output)
        status = self::READ_ONLY if output.match?(self::READ_ONLY_LOCKFILE)
        code, *hints = self::TABLE.fetch(status, [5])
        new(code, hints.find { |_, words| words.nil? || output.match?(words) }&.first)
      end
    end

    # Bundler's status for a read-only file system. It is different if a lockfile would change there.
    BundlerStatus::READ_ONLY = 42
    BundlerStatus::READ_ONLY_LOCKFILE = /lockfile\s+can't\s+be\s+updated\s+because\s+file\s+system\s+is\s+read-only/

    # Status => [code, [hint, pattern for Bundler's messages], ...].
    BundlerStatus::TABLE = {
      4 => [4, ["fix the Gemfile at the lines named above"]],
      6 => [5, ["use a matching Ruby version, or allow another version of the gem",
                /current ruby.{0,3}version|requires ruby|depends on\s+ruby/i],
            ["install a Bundler that satisfies it: gem install bundler -v REQUIREMENT", /this is Bundler \d/],
            ["loosen one of the requirements named above; `spate update NAME` frees a locked version"]],
      7 => [5, ["leave out --strict to allow other versions", /--strict/],
            ["check name and version in the Gemfile; a private gem needs its `source`"]],
      11 => [13, ["see whether this user can read it: git ls-remote ADDRESS"]],
      13 => [5, ["check the `path` in the Gemfile"]],
      14 => [4, ["fix the gemspec named above"]],
      16 => [4, ["run the command where the bundle is not frozen"]],
      17 => [6, ["set the credentials as Bundler explains above", /authentication|credentials/i],
             ["check the network, the proxy settings (http_proxy, https_proxy, no_proxy) and `bundle config`"]],
      18 => [15, ["use a matching Ruby version, or change `ruby` in the Gemfile"]],
      20 => [3, ["restore the lockfile from version control, or remove it and run `spate install`"]],
      23 => [9, ["you have no write permission there"]],
      31 => [9, ["free some space"]],
      BundlerStatus::READ_ONLY => [9, ["the file system is mounted read-only"]]
    }.freeze
  end
end
