# frozen_string_literal: true

module Spate
  module JS
    module Npm
      class Machine
        # Which node and npm this machine has. Looked up where something depends on it, and without starting them where
        # their own files tell.
        class Tooling
          HEADER = "../include/node/node_version.h"

          # env: Hash of the environment.
          def initialize(env)
            @env = env
          end

          # "20.1.0", nil without node.
          def node_version
            return @node_version if defined?(@node_version)

            @node_version = (path = find("node")) && (from_header(path) || ask(path))
          end

          # "11.1.0", nil without npm.
          def npm_version
            return @npm_version if defined?(@npm_version)

            @npm_version = JS::Project::Version.installed("npm", @env)
          end

          # What a plan took from here, for its fingerprint.
          def used = [(@node_version if defined?(@node_version)), (@npm_version if defined?(@npm_version))]

          private

          def find(name)
            @env["PATH"].to_s.split(File::PATH_SEPARATOR).map { |folder| File.join(folder, name) }
                        .find { |path| File.file?(path) && File.executable?(path) }
                        &.then { |path| File.realpath(path) }
          end

          def from_header(path)
            text = File.read(File.expand_path(HEADER, File.dirname(path)), encoding: Encoding::BINARY)
            numbers = %w[MAJOR MINOR PATCH].map { |part| text[/^#define NODE_#{part}_VERSION (\d+)/, 1] }
            numbers.join(".") if numbers.all? && text.match?(/^#define NODE_VERSION_IS_RELEASE 1/)
          rescue SystemCallError
            nil
          end

          # A program that starts one of several may start another the next time.
          def ask(path)
            Reading.unsure unless File.basename(path).start_with?("node") && File.binread(path, 2) != "#!"
            IO.popen(@env.to_h, [path, "--version"], err: File::NULL, &:read)[/\Av(\d\S*)/, 1]
          rescue SystemCallError
            nil
          end
        end
      end
    end
  end
end
