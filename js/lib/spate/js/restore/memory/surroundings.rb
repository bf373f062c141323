# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Memory
        # Everything that affects a node_modules besides the inputs of its plan: options, environment, versions.
        class Surroundings
          # Variables that package managers read.
          READ = /\A(?:npm_config_|pnpm_config_|(?:pnpm_home|node_env|home|prefix|ci|xdg_\w+_home|spate_copy)\z)/i
          # These affect only the login at a registry, and are secret.
          SECRET = /auth|passw|token|secret|cert|key/i
          # Of JS::Options; the others do not affect the result, or are for one run.
          OPTIONS = %i[copy omit ignore_scripts global_virtual_store].freeze

          # Whether a variable counts.
          def self.read?(name) = READ.match?(name) && !SECRET.match?(name)

          def initialize(env, options, store)
            @env = env
            @options = options
            @store = store
          end

          # A digest, since addresses may contain passwords. If it changes, node_modules may have to change.
          def to_s
            options = OPTIONS.map { |name| @options[name] }
            all = [VERSION, store, options, File.umask, Process.euid, variables, programs]
            Store.sha256(all.map(&:inspect).join("\n"))
          end

          private

          # The store's real path: node_modules may have links into it.
          def store
            near = Util::Files.nearest(@store.root)
            File.realpath(near) + @store.root.delete_prefix(near)
          end

          def variables
            @env.select { |name, _| Surroundings.read?(name) }.sort
          end

          # node, because of `engines`, and the tools, whose behavior depends on their version.
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
