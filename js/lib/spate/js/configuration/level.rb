# frozen_string_literal: true

module Spate
  module JS
    class Configuration
      # One place of settings.
      #
      # name:: :env, :project, :user, :global, :builtin …
      # path:: its file, absolute, which may be missing; nil where it is none
      # settings:: { key => value }, in npm's spelling
      # written:: the file's values before npm's types are applied; nil except for config.yaml
      Level = Struct.new(:name, :path, :settings, :written) do
        # Hides the values.
        def inspect = "#<#{self.class} #{name} #{path}>"
      end

      class Level
        # The text of a file as node reads it; nil if it is missing or unreadable.
        def self.text(path)
          Reading.file?(path) ? Reading.text(path).scrub : nil
        rescue SystemCallError
          nil
        end
      end
    end
  end
end
