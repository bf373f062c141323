# frozen_string_literal: true

module Spate
  module JS
    module Restore
      class Check
        # Files that scripts made in packages, as far as the store has them: see Scripts::Build.
        class Built
          PACKAGE = "package.json"

          # builds: { path of a tree => key of what the store keeps of its scripts' last run }
          def initialize(store, builds)
            @known = builds.transform_values { |key| store.build(key) }.compact
            kept = @known.values
            records = kept.map { |manifest| ::Spate::Build::Cache::Record.parse(manifest.facts) }
            @made = kept.flat_map(&:paths).to_h { |path| [path, true] }
            @removed = records.flat_map(&:removed).to_h { |path| [path, true] }
          end

          # Whether it is known what the scripts of a tree have changed.
          def known?(tree) = @known.key?(tree.path)

          # Whether a script may have done this to a path of a tree. One that did not fail has left the package.json.
          def by_script?(tree, path, kind)
            return kind != :missing || path != "#{tree.path}/#{PACKAGE}" unless known?(tree)

            @made[path] || removed?(path)
          end

          private

          def removed?(path)
            return false if path == "."

            @removed[path] || removed?(File.dirname(path))
          end
        end
      end
    end
  end
end
