# frozen_string_literal: true

module Spate
  module JS
    class Configuration
      # Finds the folders of npm and node without starting either: npm's builtin settings are in a file beside its
      # program, and its global ones in a file below node's installation prefix.
      class NpmFolder
        # Where npm declares its settings, with and without a folder of modules of its own; up to npm 9.6 among npm's
        # files, as with Debian's npm 9.2.
        DEFINITIONS = %w[node_modules/@npmcli/config/lib/definitions/definitions.js
                         ../@npmcli/config/lib/definitions/definitions.js lib/utils/config/definitions.js].freeze

        # The first program of this name on PATH, absolute, or nil. A missing one is recorded as an input.
        def self.which(name, env)
          folders = env["PATH"].to_s.split(File::PATH_SEPARATOR).select { |folder| folder.start_with?("/") }
          paths = folders.map { |folder| File.join(folder, name) }
          found = paths.find { |path| File.file?(path) && File.executable?(path) }
          return found if found

          Reading.variable("PATH")
          paths.each { |path| Reading.file?(path) }
          nil
        end

        def initialize(env)
          @env = env
        end

        # npm's own folder (.../node_modules/npm, or /usr/share/nodejs/npm with Debian's), nil if npm is not installed.
        def path
          return @path if defined?(@path)

          @path = [beside(program("npm"), "../.."), beside(program("node"), "../../lib/node_modules/npm")]
                  .compact.find { |folder| File.file?(File.join(folder, "bin", "npm-cli.js")) }
        end

        # The text of npm's declarations of its settings; "" where npm has them elsewhere, nil without npm.
        def definitions
          return unless path

          DEFINITIONS.each do |name|
            text = Level.text(File.join(path, name))
            return text if text
          end
          ""
        end

        # The folder below which node is: where global settings are without a `prefix`; nil without node.
        def prefix
          given = @env["PREFIX"]
          return given if given && !given.empty?

          folder = beside(program("node"), "../..") or return
          staged = @env["DESTDIR"].to_s
          staged.empty? ? folder : File.join(staged, folder)
        end

        private

        def beside(program, way) = program && File.expand_path(way, program)

        # The file behind a program's name, all links followed.
        def program(name)
          found = self.class.which(name, @env)
          found && File.realpath(found)
        rescue SystemCallError
          nil
        end
      end
    end
  end
end
