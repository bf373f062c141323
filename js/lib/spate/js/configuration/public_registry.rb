# frozen_string_literal: true

module Spate
  module JS
    class Configuration
      # The registry that npm uses if no other is configured. As with gems, Spate contains no source addresses: the
      # address is read from npm's own files or, for tools without such files, from the tool's output.
      module PublicRegistry
        autoload :Asked, "spate/js/configuration/public_registry/asked"

        # Older versions had only defaults.
        FILES = [*NpmFolder::DEFINITIONS, "node_modules/@npmcli/config/lib/defaults.js"].freeze
        DEFINITION = /['"]?\bregistry['"]?\s*(?::\s*new Definition\(|,)[^{}]*\{[^{}]*?\bdefault:\s*(['"`])([^'"`]+)\1/
        private_constant :FILES, :DEFINITION

        module_function

        # The address with a trailing "/", or nil. store: Store for the answers of tools, or nil.
        def find(env, store)
          found = written(NpmFolder.new(env).path) || Asked.find(env, store)
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
      end
    end
  end
end
