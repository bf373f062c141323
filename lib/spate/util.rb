# frozen_string_literal: true

module Spate
  # Code that every room may use, and that uses none of them.
  module Util
    {
      Cancelled: "retries", Child: "child", Environment: "environment", Failure: "failure", Files: "files",
      JsonLines: "json_lines", NoHome: "no_home", PathConflict: "path_conflict", Openssl: "openssl",
      Processors: "processors", Redaction: "redaction", Retriable: "retries", Retries: "retries", Ruby: "ruby",
      SigningKey: "signing_key", Suggestion: "suggestion", Terminal: "terminal"
    }.each { |name, file| autoload name, "#{__dir__}/util/#{file}.rb" } # by their paths, as a boot loads them

    # See Redaction.
    def self.redact(text) = Redaction.of(text)

    # Seconds of the monotonic clock (Float).
    def self.now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    # A thread that does not print its error: the code that waits for its result reports it, or does without.
    def self.quiet_thread
      Thread.new do
        Thread.current.report_on_exception = false
        yield
      end
    end

    # Differs once a file was replaced or written, or names in a folder changed; "-" for a missing path. It does not
    # notice a write whose time was set back: where that matters, there is a record of Inputs.
    def self.stamp(path)
      stat = File.stat(path)
      "#{stat.ino} #{stat.size} #{stat.mtime.to_r}"
    rescue SystemCallError
      "-"
    end

    # The place of the data that all projects of a machine share, and whether this user may trust it. Not in a
    # separate file: every boot and every command asks, and most need no other part of util.
    module StorePlace
      # The store's format, which has a folder of its own.
      VERSION = "v1"

      module_function

      # Spate's folder: $SPATE_HOME, else $XDG_CACHE_HOME/spate, else ~/.cache/spate, beside RubyGems' Gem.cache_home. A
      # relative XDG_CACHE_HOME is ignored, as the XDG specification asks. Absolute. Raises NoHome.
      def home(env)
        own = env["SPATE_HOME"]
        return absolute(own) if own && !own.empty?

        cache = env["XDG_CACHE_HOME"]
        cache&.start_with?("/") ? File.join(cache, "spate") : File.join(user_home(env), ".cache", "spate")
      end

      # The store in it.
      def root(home) = File.join(home, "store", VERSION)

      # A SPATE_HOME such as "tmp/spate" would mean another folder in each project's sub-folder.
      def absolute(path, name = "SPATE_HOME")
        raise NoHome.relative(path, name) unless path.start_with?("/")

        File.expand_path(path)
      end

      # nil if only this user and root can change what `path` leads to (it need not exist; sticky folders such
      # as /tmp may be above it), else [reason, culprit, its owner, its mode]: see Native.distrust. group: whether the
      # group may write there, too, as in a team's store. SPATE_TRUST_STORE=1 is for volumes without meaningful owners.
      def distrust(path, env, group:) = trusted?(env) ? nil : Native.distrust(path, group, false)

      def trusted?(env) = env["SPATE_TRUST_STORE"] == "1"

      # Cron jobs, containers and service managers start processes without HOME: the passwd entry then counts.
      def user_home(env)
        home = env["HOME"]
        return home if home&.start_with?("/")

        require "etc"
        folder = Etc.getpwuid(Process.euid)&.dir
        folder&.start_with?("/") && File.directory?(folder) ? folder : raise(NoHome.unknown(home))
      rescue ArgumentError
        raise NoHome.unknown(home) # containers run as numbers that no passwd file knows
      end
      private_class_method :user_home
    end
  end
end
