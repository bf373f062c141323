# frozen_string_literal: true

module Spate
  module Boot
    class WarmParent
      # The first lines of config/application.rb, which load Rails and the gems of the bundle. A framework parent runs
      # these lines, and a command runs them again, which has no effect: their files are already loaded. The first line
      # that could have another effect ends the prologue.
      #
      #   require_relative "boot"
      #   require "rails/all"
      #   Bundler.require(*Rails.groups)
      #   module Blog                       # not part of it
      module Prologue
        FILE = "config/application.rb"
        TEXT = /(?:"[^"#\\]+"|'[^'\\]+')/
        # Matches a `require` of one of the application's files, in the forms that `rails new` has written.
        OWN = lambda do |name|
          %r{require(?:_relative ["']#{name}["']| File\.expand_path\(["'](?:\.\./)?#{name}["'], *__(?:FILE|dir)__\))}
        end
        BUNDLE = /Bundler\.require(?:\(\*Rails\.groups(?:\([\w\s:"'%\[\],=>]*\))?\))?/
        APPLICATION = /\A\s*#{OWN["application"]}/
        EMPTY = /\A\s*(?:#.*)?\Z/
        LINE = /\A\s*(?:require #{TEXT}|#{OWN["boot"]}|#{BUNDLE})?\s*(?:#.*)?\Z/

        class << self
          # Runs the prologue of the application in this folder. Raises LoadError if it does not load the bundle.
          def run(root)
            first = File.foreach("#{root}/#{WarmParent::FILE}.rb").find { |line| !EMPTY.match?(line) }
            raise LoadError, "config/environment.rb does not load #{FILE} first" unless first&.match?(APPLICATION)

            path = File.join(root, FILE)
            text = of(File.read(path))
            raise LoadError, "#{FILE} does not begin with lines that load the bundle" unless text.match?(/^#{BUNDLE}/)

            TOPLEVEL_BINDING.eval(text, path)
          end

          def of(text) = text.lines.take_while { |line| LINE.match?(line) }.join
        end
      end
    end
  end
end
