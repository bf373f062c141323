# frozen_string_literal: true

module Spate
  module JS
    module Npm
      class Machine
        # The version of the node on the PATH: from its own header file, else from its output. Cached for the process.
        module NodeVersion
          HEADER = "../include/node/node_version.h"

          @mutex = Mutex.new
          @answers = {}

          # "20.1.0", nil without node. env: the environment that node gets.
          def self.of(env)
            program = Tools::Program.find("node", env["PATH"]) or return
            path = File.realpath(program)
            from_header(path) || begin
              # A wrapper that chooses a version may choose another one the next time.
              Reading.unsure unless File.basename(path).start_with?("node") && File.binread(path, 2) != "#!"
              @mutex.synchronize { @answers.fetch(program) { @answers[program] = ask(program, env.to_h) } }
            end
          rescue SystemCallError
            nil
          end

          def self.from_header(path)
            text = File.read(File.expand_path(HEADER, File.dirname(path)), encoding: Encoding::BINARY)
            numbers = %w[MAJOR MINOR PATCH].map { |part| text[/^#define NODE_#{part}_VERSION (\d+)/, 1] }
            numbers.join(".") if numbers.all? && text.match?(/^#define NODE_VERSION_IS_RELEASE 1/)
          rescue SystemCallError
            nil
          end

          def self.ask(program, env)
            IO.popen(env, [program, "--version"], in: File::NULL, err: File::NULL, &:read)[/\Av(\d\S*)/, 1]
          end
          private_class_method :from_header, :ask
        end
      end
    end
  end
end
