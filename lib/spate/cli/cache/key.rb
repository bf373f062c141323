# frozen_string_literal: true

module Spate
  module CLI
    class Cache
      # `spate cache key NAME [FILE]`: writes the private key to the file (default: NAME.pem) and the public key to
      # stdout. An existing private key is kept, and its public key is printed.
      class Key < Subcommand
        # The key file is not writable, or exists with other content.
        class NotWritten < Error
          EXIT_CODE = 9

          def initialize(path, fact)
            super("#{path} #{fact}", hint: "name another file: spate cache key NAME FILE")
          end
        end

        # The key's file does not exist.
        class Missing < Error
          EXIT_CODE = 14

          def initialize(path, name)
            file = " #{path}" unless path == "#{name}.pem"
            super("#{path} does not exist", hint: "create the key: spate cache key #{name}#{file}")
          end
        end

        def run
          name, path = operands
          operands!("NAME", "[FILE]") unless operands.size.between?(1, 2)
          refuse(name.scrub("?")) unless name.scrub("?").match?(RemoteCache::Trust::PublicKey::NAME)
          path ||= "#{name}.pem"
          made = values[:show] ? nil : make(path)
          key = (made || existing(path, name)).public_key(name)
          print_result(key, path)
          advise(key, path, made: made) unless values[:show]
          0
        end

        private

        def refuse(name)
          raise UsageError.new("the key's name is #{name.inspect}; expected 1 to 64 letters, digits and _ . @ -",
                               hint: "spate cache key #{File.basename(name).gsub(/[^\w.@-]+/, "-")[0, 64]}")
        end

        def print_result(key, path)
          if json?
            json.call(event: :cache_key, key: key.to_s, id: key.id, file: File.expand_path(path))
          else
            terminal.out.puts(key.to_s)
          end
        end

        def advise(key, path, made:)
          if made
            terminal.info "the private key is in #{path}: set SPATE_CACHE_KEY to it where `spate cache push` runs; " \
                          "do not commit it, add #{File.basename(path)} to .gitignore"
          else
            terminal.info "using the existing private key in #{path}; no new key was created"
          end
          terminal.info "builds of #{key.name} are signed by the key with the id #{key.id}"
          terminal.hint "spate cache trust #{key}"
        end

        # Returns the new PrivateKey, or nil if the file exists. Never overwrites a file.
        def make(path)
          key = RemoteCache::Trust::PrivateKey.generate
          File.open(path, File::WRONLY | File::CREAT | File::EXCL, 0o600) { |file| file.write(key.to_pem) }
          key
        rescue Errno::EEXIST
          nil
        rescue SystemCallError => e
          raise NotWritten.new(path, "cannot be written (#{e.class.name[/\w+\z/]})")
        end

        def existing(path, name)
          raise Missing.new(path, name) unless File.exist?(path) || File.symlink?(path)

          RemoteCache::Trust::PrivateKey.load(File.expand_path(path))
        rescue Settings::Error
          raise NotWritten.new(path, "exists but contains no readable private key; it was not changed")
        end
      end
    end
  end
end
