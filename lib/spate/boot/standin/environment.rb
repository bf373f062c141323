# frozen_string_literal: true

module Spate
  module Boot
    module Standin
      # The environment as bundler/setup leaves it.
      module Environment
        # Keys that are set together with the load path, not for programs that are to find the bundle.
        LOADED = %w[GEM_HOME GEM_PATH MANPATH].freeze

        module_function

        # What makes another program's environment of this one: Hash, nil for a key that was not set.
        def unloaded(before) = LOADED.to_h { |key| [key, before[key]] }

        # What the environment was before any Bundler, and without what Spate gives children: Hash.
        def original(env) = Gemfile::Environment.original(env).except(Children::BUNDLER)

        # facts: see Activation.
        def apply(facts, env = ENV)
          prefix, unset = Gemfile::Environment::PREFIX, Gemfile::Environment::NOT_SET
          facts[:env_saved].each { |key| env[prefix + key] ||= env[key] || unset }
          facts[:env_deleted].each { |key| env.delete(key) }
          facts[:env_set].each { |key, value| env[key] = value }
          facts[:env_composed].each { |key, added| send("compose_#{key.downcase}", env, added) }
        end

        def compose_path(env, added) = env["PATH"] = join(added + split(env["PATH"]))
        def compose_rubylib(env, added) = env["RUBYLIB"] = join(added + split(env["RUBYLIB"]))

        def compose_manpath(env, added)
          env["MANPATH"] = join(added + (env["MANPATH"] ? split(env["MANPATH"]) : [""]))
        end

        def compose_rubyopt(env, added)
          options = env["RUBYOPT"]
          env["RUBYOPT"] = [*added, *options].join(" ") unless options&.start_with?(added.first)
        end

        def split(list) = list.to_s.split(File::PATH_SEPARATOR)
        def join(list) = list.uniq.join(File::PATH_SEPARATOR)
      end
    end
  end
end
