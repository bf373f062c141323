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
          word = RemoteCache::Trust::PublicKey.parse(key.public_key(name).to_s, "NAME").to_s
          write(path ||= "#{name}.pem", key.to_pem)
          json? ? json.call(event: :cache_key, key: word, file: File.expand_path(path)) : terminal.out.puts(word)
          terminal.tell "the private key is in #{path}: give it to those who may send, as SPATE_CACHE_KEY"
          terminal.hint "spate cache trust #{word}"
          0
        end

        private

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
