# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Memory
        # What decides about a node_modules besides the files that its plan is made from: options, environment,
        # versions.
        class Surroundings
          # Variables that package managers read.
          READ = /\A(?:npm_config_|pnpm_config_|(?:pnpm_home|node_env|home|prefix|ci|xdg_\w+_home|spate_copy)\z)/i
          # Those decide about nothing but whom a registry lets in, and are nobody else's business.
          SECRET = /auth|passw|token|secret|cert|key/i
          # Of JS::Options; the others change how it is done, or are for one run.
          OPTIONS = %i[copy omit ignore_scripts global_virtual_store].freeze

          # Whether a variable counts.
          def self.read?(name) = READ.match?(name) && !SECRET.match?(name)

          def initialize(env, options, store)
            @env = env
            @options = options
            @store = store
          end

          # A digest, since addresses may have passwords in them; another one means that another node_modules may be
          # wanted.
          def to_s
            options = OPTIONS.map { |name| @options[name] }
            all = [VERSION, store, options, File.umask, Process.euid, variables, programs]
            Store.sha256(all.map(&:inspect).join("\n"))
          end

          private

          # Where it is, whatever links lead there: node_modules may have links into it.
          def store
            near = Ground::Files.nearest(@store.root)
            File.realpath(near) + @store.root.delete_prefix(near)
          end

          def variables
            @env.select { |name, _| Surroundings.read?(name) }.sort
          end

          # The node that the project would be run with: engines may be asked for. The tool whose ways are followed.
          def programs = %w[node npm pnpm].map { |name| program(name) }

          def program(name)
            @env["PATH"].to_s.split(":").each do |folder|
              stat = File.stat(path = File.join(folder, name))
              return [path, stat.size, stat.ino, stat.mtime.to_r] if stat.file?
            rescue SystemCallError
              next
            end
            nil
          end
        end
      end
    end
  end
end
