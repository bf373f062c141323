# frozen_string_literal: true

module Spate
  module JS
    module Scripts
      module Policy
        # pnpm's lists, in pnpm-workspace.yaml: `allowBuilds` ({ sharp: true, "sharp@0.33.0 || 0.34.0": false }); up to
        # pnpm 10 also `onlyBuiltDependencies` and related settings, there or in package.json's "pnpm". Denying entries
        # have precedence. A package with an address is allowed only by its complete key.
        class Pnpm
          # The first version that reads only allowBuilds.
          STRICT = 11
          ALL = "dangerouslyAllowAllBuilds"
          DENYING = %w[neverBuiltDependencies ignoredBuiltDependencies].freeze
          # The suffix of a key, which contains its peers and its patch.
          SUFFIX = /\(.*\z/m

          # settings: JS::Pnpm::Settings.
          def initialize(root, settings, configuration)
            @root = root
            @source = Source.new(configuration)
            @settings = settings
            @rules = rules # [[word, whether allowed, list], ...]
          end

          def silent? = @settings["ignoreScripts"]

          # Invalid entries, which do not name a package.
          def ignored = @rules.map(&:first).reject { |word| word.include?(":") || word.include?("/") || parts(word) }

          # Full names of listed packages for which it is unknown whether they come from the registry.
          def unknown = @source.unknown

          def decide(tree)
            return [true, ALL] if @settings[ALL]

            key = tree.key.sub(SUFFIX, "")
            found = @rules.select { |word, allowed,| match?(tree, key, word, allowed) }
            word, allowed, list = found.find { |_, value,| value == false } || found.first
            word ? [allowed, "#{@settings.source(list)} #{list}: #{word}"] : [nil, nil]
          end

          # The entry with which a list would allow the package.
          def word(tree)
            key = tree.key.sub(SUFFIX, "")
            VERSION.match?(key[/(?<!\A)@(.+)\z/m, 1].to_s) ? tree.package.name : key
          end

          # Whether scripts of a package with this name may run, in at least one version and from any source.
          def allows?(name)
            @names ||= @rules.filter_map { |word, allowed,| [word[/\A@?[^@]+/], true] if allowed }.to_h
            @settings[ALL] || @names.key?(name)
          end

          private

          def rules
            found = @settings["allowBuilds"].map { |word, allowed| [word.to_s, allowed, "allowBuilds"] }
            found += old if @settings.major < STRICT
            found.select { |_, allowed,| [true, false].include?(allowed) }
          end

          def old
            { "onlyBuiltDependencies" => true, **DENYING.to_h { |name| [name, false] } }.flat_map do |name, allowed|
              Array(@settings[name]).grep(String).map { |word| [word, allowed, name] }
            end + from_file
          end

          # Names from a JSON file, which may be in an installed package.
          def from_file
            name = @settings["onlyBuiltDependenciesFile"]
            return [] unless name.is_a?(String)

            path = File.expand_path(name, @root)
            text = File.file?(path) ? File.read(path, encoding: Encoding::UTF_8) : "[]"
            found = JSON.parse(text)
            Array(found).grep(String).map { |word| [word, true, "onlyBuiltDependenciesFile"] }
          rescue JSON::ParserError => e
            raise Reading::Fault.error(path, text, e)
          end

          def match?(tree, key, word, allowed)
            of, version = key.match(/\A(@?[^@]+)@(.+)\z/m)&.captures
            return true if word.sub(SUFFIX, "") == key && !VERSION.match?(version.to_s)

            name, versions = parts(word)
            return false unless name && name == of

            # An entry that denies applies regardless of the package's origin.
            (versions.nil? || versions.include?(version)) && (!allowed || proven?(tree.package, name, version))
          end

          def proven?(package, name, version)
            VERSION.match?(version) && package.name == name && @source.proven?(package)
          end

          # [name, nil or exact versions], or nil.
          def parts(word)
            name, text = word.match(/\A(@?[^@]+)(?:@(.+))?\z/m)&.captures
            return unless name && Package::Name::NAME.match?(name)
            return [name, nil] unless text

            versions = text.split("||").map(&:strip)
            [name, versions] if versions.all?(VERSION)
          end
        end
      end
    end
  end
end
