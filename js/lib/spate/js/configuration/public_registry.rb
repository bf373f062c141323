# frozen_string_literal: true

module Spate
  module JS
    class Configuration
      # The registry that npm asks where nothing names another. As with gems, no address of a source is written down in
      # Spate: npm's own files have it, and what has none of these files is asked.
      module PublicRegistry
        autoload :Asked, "spate/js/configuration/public_registry/asked"

        # Older ones had only defaults.
        FILES = [*NpmFolder::DEFINITIONS, "node_modules/@npmcli/config/lib/defaults.js"].freeze
        DEFINITION = /['"]?\bregistry['"]?\s*(?::\s*new Definition\(|,)[^{}]*\{[^{}]*?\bdefault:\s*(['"`])([^'"`]+)\1/
        private_constant :FILES, :DEFINITION

        module_function

        # With its "/" at the end, or nil. store: Store that keeps what a tool answered, or nil.
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
