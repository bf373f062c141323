# frozen_string_literal: true

module Spate
  # Code that every component may use. It does not use any other component.
  module Util
    {
      Cancelled: "retries", Child: "child", Environment: "environment", Failure: "failure", Files: "files",
      JsonLines: "json_lines", NoHome: "paths", PathConflict: "paths", Processors: "processors", Redaction: "text",
      Retriable: "retries", Retries: "retries", Ruby: "ruby", SigningKey: "signing_key", Suggestion: "text",
      Terminal: "terminal"
    }.each { |name, file| autoload name, "#{__dir__}/util/#{file}.rb" } # absolute paths, as in a boot

    # See Redaction.
    def self.redact(text) = Redaction.of(text)

    # Seconds of the monotonic clock (Float).
    def self.now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    # A thread that does not print its error: the code that waits for its result reports the error or works without the
    # result.
    def self.quiet_thread
      Thread.new do
        Thread.current.report_on_exception = false
        yield
      end
    end

    # A text that changes when a file is replaced or written, or names in a folder change; "-" for a missing path. Does
    # not detect a write whose mtime was set back: code for which that matters uses a record of Inputs.
    def self.stamp(path)
      stat = File.stat(path)
      "#{stat.ino} #{stat.size} #{stat.mtime.to_r}"
    rescue SystemCallError
      "-"
    end

    # The location of the data that all projects of a machine share, and whether this user may trust it. Not in a
    # separate file, since every boot and every command needs it, and most need no other part of util.
    module StorePlace
      # Version of the store's format, and name of its folder.
      VERSION = "v1"

      module_function

      # Spate's folder: $SPATE_HOME, otherwise $XDG_CACHE_HOME/spate, otherwise ~/.cache/spate, next to RubyGems'
      # Gem.cache_home. Ignores a relative XDG_CACHE_HOME, as the XDG specification requires. Absolute. Raises NoHome.
      def home(env)
        own = env["SPATE_HOME"]
        return absolute(own) if own && !own.empty?

        cache = env["XDG_CACHE_HOME"]
        cache&.start_with?("/") ? File.join(cache, "spate") : File.join(user_home(env), ".cache", "spate")
      end

      # The folder of the store in Spate's folder.
      def root(home) = File.join(home, "store", VERSION)

      # Rejects a relative path: a SPATE_HOME such as "tmp/spate" would mean a different folder in each sub-folder of a
      # project.
      def absolute(path, name = "SPATE_HOME")
        raise NoHome.relative(path, name) unless path.start_with?("/")

        File.expand_path(path)
      end

      # nil if only this user and root can change what `path` leads to; otherwise [reason, culprit, its owner, its
      # mode]: see Native.distrust. The path need not exist, and sticky folders such as /tmp may be above it. group:
      # whether the group may also write there, as in a team's store. SPATE_TRUST_STORE=1 is for volumes without
      # meaningful owners.
      def distrust(path, env, group:) = trusted?(env) ? nil : Native.distrust(path, group, false)

      def trusted?(env) = env["SPATE_TRUST_STORE"] == "1"

      # Uses the passwd entry if HOME is missing: cron jobs, containers and service managers start processes without
      # HOME.
      def user_home(env)
        home = env["HOME"]
        return home if home&.start_with?("/")

        require "etc"
        folder = Etc.getpwuid(Process.euid)&.dir
        folder&.start_with?("/") && File.directory?(folder) ? folder : raise(NoHome.unknown(home))
      rescue ArgumentError
        raise NoHome.unknown(home) # containers may run with user ids that are not in the passwd file
      end
      private_class_method :user_home
    end

    # Loads Ruby's openssl, which RubyGems and net/http also load: a second thread could otherwise find it half loaded.
    module Openssl
      LOADING = Mutex.new
      private_constant :LOADING

      def self.load = LOADING.synchronize { require "openssl" }
    end
  end
end
