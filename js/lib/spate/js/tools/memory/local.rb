# frozen_string_literal: true

module Spate
  module JS
    module Tools
      class Memory
        # Words of a lockfile or package.json that may be paths: of folders and archives that are packages, of patches.
        module Local
          WORD = /"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'|([^\s"',()<>\[\]{}]+)/
          PROTOCOL = /(?:\A|[@:])(file|link|portal):(.+)\z/m
          FILES = %w[.patch .diff .tgz .tar .tar.gz].freeze
          PATHS = %w[./ ../ ~/ /].freeze
          # Those are links to the folder itself.
          LINKS = %w[link portal].freeze
          private_constant :WORD, :PROTOCOL, :FILES, :PATHS, :LINKS

          module_function

          # Yields a path, and whether to include all of the folder it names.
          def scan(text)
            text.scan(WORD) do |double, single, bare|
              (double || single || bare).split("#").each do |part|
                word = part.split("::").first.to_s.chomp(":").gsub(/%\h\h/) { |code| code[1..].hex.chr }.scrub("")
                path, whole = path(word, bare.nil?)
                yield path, whole if path && !path.include?("\0")
              end
            end
          end

          def path(word, quoted)
            kind, path = PROTOCOL.match(word)&.captures
            return [path, !LINKS.include?(kind)] if kind
            return [word, true] if quoted && word.start_with?(*PATHS)

            [word[/[^:]*\z/], true] if word.end_with?(*FILES)
          end
          private_class_method :path
        end
      end
    end
  end
end
