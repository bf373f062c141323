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
        private_constant :FILES, :DEFINITION

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
                            "npm_config_userconfig" => File::NULL, "npm_config_globalconfig" => File::NULL)
          %w[npm pnpm].filter_map { |tool| NpmFolder.which(tool, env) }.each do |program|
            answer = answer_of(program, clean)
            return answer if answer.match?(%r{\Ahttps?://\S+\z})
          end
          nil
        end

        def answer_of(program, env)
          IO.popen(env, [program, "config", "get", "registry"], unsetenv_others: true, chdir: "/", in: File::NULL,
                                                                err: File::NULL, &:read).to_s.strip
        rescue SystemCallError
          ""
        end
      end
    end
  end
end
