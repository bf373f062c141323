# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      class Workspace
        # `overrides` with what they refer to: `$name` is what the root's package.json has, `catalog:` (there
        # too) what a catalog has.
        class Overrides
          # given: { selector => value } or an invalid value. manifest: the root's package.json. catalogs:
          # { catalog => { name => specifier } }.
          def initialize(given, manifest, catalogs)
            @given = given.is_a?(Hash) ? given : {}
            @manifest = manifest
            @catalogs = catalogs
          end

          # nil where there are none.
          def all
            @given.to_h { |selector, value| [selector, resolved(selector, value.to_s)] } unless @given.empty?
          end

          private

          def resolved(selector, value)
            value = referenced(value.delete_prefix("$")) || value if value.start_with?("$")
            return value unless value.start_with?("catalog:")

            catalog = value.delete_prefix("catalog:")
            name = selector[/[^>]+\z/].sub(/(?<=.)@.*\z/, "")
            @catalogs.dig(catalog.empty? ? "default" : catalog, name) || value
          end

          def referenced(name)
            Lockfile::GROUPS.filter_map { |group| @manifest[group][name] if @manifest[group].is_a?(Hash) }.first
          end
        end
      end
    end
  end
end
