# frozen_string_literal: true

module Spate
  module Boot
    # Where the store is, as Spate::Store::Home finds it, without loading the store.
    module Home
      class << self
        # Absolute path, e.g. "/home/me/.cache/spate/store/v1". Raises ArgumentError where none can be named.
        def store_root(env)
          home = env["SPATE_HOME"].to_s
          home = "#{cache(env)}/spate" if home.empty?
          return "#{home.chomp("/")}/store/v1" if home.start_with?("/")

          raise ArgumentError, "SPATE_HOME is #{home.inspect}, which is not an absolute path"
        end

        private

        def cache(env)
          given = env["XDG_CACHE_HOME"].to_s
          return given if given.start_with?("/")

          home = env["HOME"].to_s
          home = passwd_home unless home.start_with?("/")
          "#{home}/.cache"
        end

        def passwd_home
          require "etc"
          Etc.getpwuid(Process.euid).dir
        end
      end
    end
  end
end
