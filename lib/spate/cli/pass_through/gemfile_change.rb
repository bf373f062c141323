# frozen_string_literal: true

module Spate
  module CLI
    class PassThrough
      # The change that a command of Bundler made to a Gemfile. Reads the file when created, before the command runs.
      class GemfileChange
        def initialize(path)
          @path = path
          @before = read
        end

        # "wrote Gemfile: added gem \"rack\", \"~> 3.1\""; nil if the file is unchanged.
        def line
          after = read
          return if after == @before

          changes = { "added" => after - @before, "removed" => @before - after }.reject { |_, lines| lines.empty? }
          changes = changes.map { |verb, lines| "#{verb} #{lines.join(", ")}" }
          "wrote #{[File.basename(@path), *(changes.join("; ") if changes.any?)].join(": ")}"
        end

        private

        # Lines with code (Array of String).
        def read = File.readlines(@path, encoding: "UTF-8").map { |line| line.scrub.strip }.reject(&:empty?)
      end
    end
  end
end
