# frozen_string_literal: true

module Spate
  # Code that every component may use. It does not use any other component.
  module Util
    {
      Cancelled: "retries", Child: "child", Environment: "environment", Failure: "failure", Files: "files",
      JsonLines: "json_lines", NoHome: "paths", PathConflict: "paths", Processors: "processors", Redaction: "text",
      Retriable: "retries", Retries: "retries", Ruby: "ruby", SigningKey: "signing_key", Suggestion: "text",
      Terminal: "terminal"
    }.each { |name, file| autoload name, "#{__dir__}/util/#{file}.rb" } # absolute, as in a boot, which has no load path

    # See Redaction.
    def self.redact(text) = Redaction.of(text)

    # Seconds of the monotonic clock (Float).
    def self.now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    # Starts a thread that does not print its error. The caller reports the error, or continues without the result.
    def self.quiet_thread
      Thread.new do
        Thread.current.report_on_exception = false
        yield
      end
    end

    # A text with inode, size and mtime of a file or folder, to detect changes; "-" if it does not exist. Does not
    # detect a write after which the mtime was reset. Inputs detects this too.
    def self.stamp(path)
      stat = File.stat(path)
      "#{stat.ino} #{stat.size} #{stat.mtime.to_r}"
    rescue SystemCallError
      "-"
    end

    # Finds the location of the store, and checks whether this user may trust it. Defined here instead of in its own
    # file, since every boot and command needs it, and most need no other file of util.
    module StorePlace
      # The version of the store's format, which is the name of its folder.
      VERSION = "v1"

      module_function

      # The absolute path of Spate's folder: $SPATE_HOME, $XDG_CACHE_HOME/spate or ~/.cache/spate. The latter two are
      # next to RubyGems' cache (Gem.cache_home). Ignores a relative XDG_CACHE_HOME, as the XDG specification requires.
      # Raises NoHome.
      def home(env)
        own = env["SPATE_HOME"]
        return absolute(own) if own && !own.empty?

        cache = env["XDG_CACHE_HOME"]
        cache&.start_with?("/") ? File.join(cache, "spate") : File.join(user_home(env), ".cache", "spate")
      end

      # The folder of the store. home: Spate's folder.
      def root(home) = File.join(home, "store", VERSION)

      # Rejects a relative path: a SPATE_HOME such as "tmp/spate" would mean a different folder in each sub-folder of a
      # project.
      def absolute(path, name = "SPATE_HOME")
        raise NoHome.relative(path, name) unless path.start_with?("/")

        File.expand_path(path)
      end

      # Returns nil if only this user and root can change the file at `path` or a folder above it. Otherwise returns
      # [reason, the path with a wrong owner or mode, its owner, its mode]: see Native.distrust. The path need not
      # exist, and may be in a sticky folder such as /tmp. group: whether the group may also write there, as in a team's
      # store. SPATE_TRUST_STORE=1 disables the check, for volumes without meaningful owners.
      def distrust(path, env, group:) = trusted?(env) ? nil : Native.distrust(path, group, false)

      def trusted?(env) = env["SPATE_TRUST_STORE"] == "1"

      # The user's home folder. Uses the passwd entry if HOME is missing, as in cron jobs, containers and services.
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

    # Loads openssl under a lock. RubyGems and net/http load it too, and another thread could otherwise use it half
    # loaded.
    module Openssl
      LOADING = Mutex.new
      private_constant :LOADING

      def self.load = LOADING.synchronize { require "openssl" }
    end
  end
end
