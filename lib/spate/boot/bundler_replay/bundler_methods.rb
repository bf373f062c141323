# frozen_string_literal: true

module Spate
  module Boot
    module BundlerReplay
      # Methods of the module Bundler that need only the record. All other methods load the real Bundler.
      module BundlerMethods
        def setup(*groups)
          groups.empty? || Runtime.instance ? Runtime.instance : super
        end

        def require(*groups) = setup(*groups).require(*groups)
        def load = Runtime.instance

        def root = ::Pathname.new(BundlerReplay.current.facts[:root])
        def default_gemfile = ::Pathname.new(BundlerReplay.current.facts[:gemfile])
        def default_lockfile = ::Pathname.new(BundlerReplay.current.facts[:lockfile])
        def bundle_path = ::Pathname.new(BundlerReplay.current.facts[:bundle_path])

        def original_env = ::Bundler::ORIGINAL_ENV.clone

        # The environment without Bundler's variables.
        def unbundled_env
          env = original_env
          saved = "#{Util::Environment::PREFIX}MANPATH"
          env["MANPATH"] = env[saved] if env.key?(saved)
          env.delete_if { |key, _| key.start_with?("BUNDLE_") }
          lib = BundlerReplay.current.facts[:lib]
          if env.key?("RUBYOPT")
            env["RUBYOPT"] = (env["RUBYOPT"].split - ["-r#{lib}/bundler/setup", "-rbundler/setup"]).join(" ")
          end
          if env.key?("RUBYLIB")
            separator = File::PATH_SEPARATOR
            env["RUBYLIB"] = (env["RUBYLIB"].split(separator) - [lib]).join(separator)
          end
          env
        end

        def with_original_env(&) = with_env(original_env, &)
        def with_unbundled_env(&) = with_env(unbundled_env, &)

        # Uses eval to set the caller's file and line, which Bundler prints in deprecation warnings.
        def method_missing(name, *arguments, **options, &block)
          return super if Real.loaded?

          caller = caller_locations(1, 1).first
          # rubocop:disable Style/EvalWithLocation
          eval("Real.load.public_send(name, *arguments, **options, &block)", binding, caller.path, caller.lineno)
          # rubocop:enable Style/EvalWithLocation
        end

        def respond_to_missing?(name, include_private = false)
          !Real.loaded? && Real.load.respond_to?(name, include_private)
        end

        private

        def with_env(env)
          backup = ENV.to_hash
          ENV.replace(env)
          yield
        ensure
          ENV.replace(backup)
        end
      end
    end
  end
end
