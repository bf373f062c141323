# frozen_string_literal: true

module Spate
  module Gemfile
    # The meaning of Bundler's exit status (the `status_code`s of its error classes): Spate's exit code and, if known, a
    # fix.
    #
    # code:: see docs/exit-codes.md
    # hint:: String or nil
    BundlerStatus = Struct.new(:code, :hint) do
      # status: Integer, or a text if a signal ended Bundler. output: its last lines.
      def self.of(status, output)
        code, *hints = self::TABLE.fetch(status, [5])
        new(code, hints.find { |_, words| words.nil? || output.match?(words) }&.first)
      end
    end

    # Status => [code, [hint, pattern for Bundler's messages], ...].
    BundlerStatus::TABLE = {
      4 => [4, ["fix the Gemfile at the lines named above"]],
      6 => [5, ["use a matching Ruby version, or allow another version of the gem",
                /current ruby.{0,3}version|requires ruby|depends on\s+ruby/i],
            ["loosen one of the requirements named above; `bundle update NAME` frees a locked version"]],
      7 => [5, ["check name and version in the Gemfile; a private gem needs its `source`"]],
      11 => [13, ["see whether this user can read it: git ls-remote ADDRESS"]],
      13 => [5, ["check the `path` in the Gemfile"]],
      14 => [4, ["fix the gemspec named above"]],
      17 => [6, ["set the credentials as Bundler explains above", /authentication|credentials/i],
             ["check the network, the proxy settings (http_proxy, https_proxy, no_proxy) and `bundle config`"]],
      18 => [15, ["use a matching Ruby version, or change `ruby` in the Gemfile"]],
      20 => [3, ["restore the lockfile from version control, or remove it and run `spate install`"]],
      23 => [9, ["you have no write permission there"]],
      31 => [9, ["free some space"]],
      42 => [9, ["the file system is mounted read-only"]]
    }.freeze
  end
end
