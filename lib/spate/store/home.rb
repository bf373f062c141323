# frozen_string_literal: true

module Spate
  class Store
    # Where the store lives, and whether this user should trust what is in it. Core Ruby only: on the hot path.
    module Home
      module_function

      # Absolute path of Spate's folder: $SPATE_HOME, else $XDG_CACHE_HOME/spate, else ~/.cache/spate, the same place
      # as RubyGems' Gem.cache_home. A relative XDG_CACHE_HOME is ignored, as the XDG specification asks.
      # Raises NoHome.
      def find(env)
        own = env["SPATE_HOME"]
        return absolute(own) if own && !own.empty?

        cache = env["XDG_CACHE_HOME"]
        return File.join(cache, "spate") if cache&.start_with?("/")

        File.join(user(env), ".cache", "spate")
      end

      # A SPATE_HOME such as "tmp/spate" would mean another folder in each project's sub-folder.
      def absolute(path, name = "SPATE_HOME")
        unless path.start_with?("/")
          raise NoHome.new("#{name} is #{path.inspect}, which is not an absolute path",
                           hint: "the absolute path of a folder: #{File.expand_path(path)}")
        end

        File.expand_path(path)
      end

      def user(env)
        home = env["HOME"]
        return home if home&.start_with?("/")

        # Cron jobs, containers and service managers start processes without HOME: the passwd entry then counts.
        require "etc"
        entry = passwd
        return entry.dir if entry&.dir&.start_with?("/") && File.directory?(entry.dir)

        raise NoHome, "HOME is #{home.nil? ? "not set" : home.inspect} and user #{Process.euid} has no home folder"
      end

      def passwd
        Etc.getpwuid(Process.euid)
      rescue ArgumentError
        nil # containers run as numbers that no passwd file knows
      end

      # Refuses a folder in which another user could have put objects, or in whose place he could put another: it, and
      # each on the way to it, belongs to this user or root and is writable by nobody else (sticky ones, like /tmp, may
      # be above it). Group-writable is allowed: a team may share a store. A folder that does not exist is fine. Raises
      # Untrusted, ReadOnly.
      def check(path, env)
        return if trusted?(env)

        reason, culprit, owner, mode = Native.distrust(path, true, false)
        case reason
        when :owner then refuse_owner(culprit, owner)
        when :others
          raise Untrusted.new(format("%s can be written by every user (mode %04o)", culprit, mode),
                              "run `chmod o-w #{culprit}`")
        when :search then raise ReadOnly.new(culprit, Errno::EACCES::Errno)
        end
      end

      # Volumes whose owner means nothing.
      def trusted?(env) = env["SPATE_TRUST_STORE"] == "1"

      def refuse_owner(path, owner)
        message = "#{path} belongs to user #{owner}, this is user #{Process.euid}"
        fix = "run without sudo, or with `sudo -H`"
        fix = "run `chown -R #{Process.euid} #{path}` as root" unless Process.euid.zero?
        raise Untrusted.new(message, fix)
      end
      private_class_method :user, :passwd, :refuse_owner
    end
  end
end
