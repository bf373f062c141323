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
          facts[:env_composed].each { |key, added| env[key] = composed(key, added, env[key]) }
        end

        # Bundler's part before the former value.
        def composed(key, added, former)
          return former&.start_with?(added.first) ? former : [*added, *former].join(" ") if key == "RUBYOPT"

          former = key == "MANPATH" && !former ? [""] : former.to_s.split(File::PATH_SEPARATOR)
          (added + former).uniq.join(File::PATH_SEPARATOR)
        end
      end
    end
  end
end
