# frozen_string_literal: true

module Spate
  module Gemfile
    # What Bundler's exit status tells (the `status_code`s of its error classes): an exit code of ours, and a fix where
    # one is known.
    #
    # code:: see docs/exit-codes.md
    # hint:: String or nil
    BundlerStatus = Struct.new(:code, :hint) do
      # status: Integer, or a text where a signal ended it. output: what it printed last.
      def self.of(status, output)
        status == self::HTTP ? network(output) : self::TABLE.fetch(status) { other(status, output) }
      end

      def self.network(output)
        return new(6, "give Bundler the credentials in the way that it names above") if output.match?(self::CREDENTIALS)

        new(6, "check the network, the proxy settings (http_proxy, https_proxy, no_proxy) and `bundle config`")
      end
      private_class_method :network

      def self.other(status, output)
        return new(5) unless status == self::CONFLICT
        return new(5, "run it with a Ruby that fits, or allow another version of the gem") if output.match?(self::RUBY)

        new(5, "loosen one of the requirements named above; `bundle update NAME` frees a locked version")
      end
      private_class_method :other
    end

    BundlerStatus::HTTP = 17
    BundlerStatus::CONFLICT = 6
    BundlerStatus::CREDENTIALS = /authentication|credentials/i
    BundlerStatus::RUBY = /current ruby.{0,3}version|requires ruby|depends on\s+ruby/i
    BundlerStatus::TABLE = {
      4 => BundlerStatus.new(4, "mend the Gemfile where the lines above point"),
      7 => BundlerStatus.new(5, "check name and version in the Gemfile; a private gem needs a `source` of its own"),
      11 => BundlerStatus.new(13, "see whether this user can read it: git ls-remote ADDRESS"),
      13 => BundlerStatus.new(5, "check the `path` in the Gemfile"),
      14 => BundlerStatus.new(4, "mend the gemspec that is named above"),
      18 => BundlerStatus.new(15, "run it with a Ruby that fits, or change `ruby` in the Gemfile"),
      20 => BundlerStatus.new(3, "restore the lockfile from version control, or remove it and resolve anew"),
      23 => BundlerStatus.new(9, "this user may not write there"),
      31 => BundlerStatus.new(9, "free some space"),
      42 => BundlerStatus.new(9, "the file system is mounted read-only")
    }.freeze
  end
end
