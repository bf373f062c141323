# frozen_string_literal: true

module Spate
  module JS
    class Configuration
      # The registry that npm asks where nothing names another. As with gems, no address of a source is written down in
      # Spate: npm's own files have it, and what has none of these files is asked.
      module PublicRegistry
        # Where npm's definitions are, with and without a folder of modules of its own.
        FILES = %w[node_modules/@npmcli/config/lib/definitions/definitions.js
                   ../@npmcli/config/lib/definitions/definitions.js
                   node_modules/@npmcli/config/lib/defaults.js].freeze
        DEFINITION = /['"]?\bregistry['"]?\s*(?::\s*new Definition\(|,)[^{}]*\{[^{}]*?\bdefault:\s*(['"`])([^'"`]+)\1/
        # What is asked, in turn, and for which setting. Those of yarn's later versions have another name for it.
        ASKED = [%w[npm registry], %w[pnpm registry], %w[yarn registry], %w[yarn npmRegistryServer]].freeze
        private_constant :FILES, :DEFINITION, :ASKED

        module_function

        # With its "/" at the end, or nil.
        def find(env)
          found = written(NpmFolder.new(env).path) || asked(env)
          found && (found.end_with?("/") ? found : "#{found}/")
        end

        def written(folder)
          return unless folder

          FILES.each do |path|
            text = Level.text(File.join(folder, path)) or next
            found = text[DEFINITION, 2]
            return found if found
          end
          nil
        end

        # Started in a folder without settings, and with none of the user's: what is left is the default.
        def asked(env)
          clean = env.reject { |name, _| name.match?(/\Ap?npm_config_/i) }
                     .merge("HOME" => "/nonexistent", "XDG_CONFIG_HOME" => "/nonexistent",
                            "npm_config_userconfig" => File::NULL, "npm_config_globalconfig" => File::NULL,
                            "COREPACK_ENABLE_NETWORK" => "0") # which would get a tool first
          ASKED.each do |tool, key|
            program = NpmFolder.which(tool, env) or next
            answer = answer_of(clean, program, "config", "get", key)
            return answer if answer.match?(%r{\Ahttps?://\S+\z})
          end
          nil
        end

        def answer_of(env, *words)
          IO.popen(env, words, unsetenv_others: true, chdir: "/", in: File::NULL, err: File::NULL, &:read).to_s.strip
        rescue SystemCallError
          ""
        end
      end
    end
  end
end
