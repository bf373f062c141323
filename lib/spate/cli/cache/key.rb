# frozen_string_literal: true

module Spate
  module CLI
    class Cache
      # `spate cache key NAME [FILE]`: the private key goes into the file, NAME.pem if none is named, and what others
      # trust to stdout.
      class Key < Subcommand
        # Something is there already.
        class Exists < Error
          EXIT_CODE = 9

          def initialize(path)
            super("#{path} exists, and a key in it would be lost", hint: "name another file: spate cache key NAME FILE")
          end
        end

        def run
          name, path = operands
          operands!("NAME", "[FILE]") unless operands.size.between?(1, 2)
          key = RemoteCache::Trust::PrivateKey.generate
          public_key = RemoteCache::Trust::PublicKey.parse(key.public_key(name).to_s, "the operand NAME")
          write(path ||= "#{name}.pem", key.to_pem)
          tell(public_key, path)
          0
        end

        private

        def tell(key, path)
          if json?
            json.call(event: :cache_key, key: key.to_s, id: key.id, file: File.expand_path(path))
          else
            terminal.out.puts(key.to_s)
          end
          terminal.tell "the private key is in #{path}: give it to those who may send, as SPATE_CACHE_KEY; " \
                        "do not commit it (a line for .gitignore: #{File.basename(path)})"
          terminal.tell "#{key.name}'s builds are signed by the id #{key.id}"
          terminal.hint "spate cache trust #{key}"
        end

        def write(path, pem)
          File.open(path, File::WRONLY | File::CREAT | File::EXCL, 0o600) { |file| file.write(pem) }
        rescue Errno::EEXIST
          raise Exists, path
        rescue SystemCallError => e
          raise ::Spate::Store::Error.for(e, path)
        end
      end
    end
  end
end
