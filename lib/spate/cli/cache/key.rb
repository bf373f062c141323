# frozen_string_literal: true

module Spate
  module CLI
    class Cache
      # `spate cache key NAME [FILE]`: the private key goes into the file, NAME.pem if none is named, and what others
      # trust to stdout.
      class Key < Subcommand
        # The file for it.
        class NotWritten < Error
          EXIT_CODE = 9

          def initialize(path, fact)
            super("#{path} #{fact}", hint: "name another file: spate cache key NAME FILE")
          end
        end

        def run
          name, path = operands
          operands!("NAME", "[FILE]") unless operands.size.between?(1, 2)
          refuse(name.scrub("?")) unless name.scrub("?").match?(RemoteCache::Trust::PublicKey::NAME)
          key = RemoteCache::Trust::PrivateKey.generate
          public_key = key.public_key(name)
          write(path ||= "#{name}.pem", key.to_pem)
          tell(public_key, path)
          0
        end

        private

        def refuse(name)
          raise UsageError.new("the key's name is #{name.inspect}; expected 1 to 64 letters, digits and _ . @ -",
                               hint: "spate cache key #{File.basename(name).gsub(/[^\w.@-]+/, "-")[0, 64]}")
        end

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
          raise NotWritten.new(path, "exists, and a key in it would be lost")
        rescue SystemCallError => e
          raise NotWritten.new(path, "cannot be written (#{e.class.name[/\w+\z/]})")
        end
      end
    end
  end
end
