# frozen_string_literal: true

module Spate
  module JS
    module Scripts
      module Policy
        # npm's lists: `allowScripts` of the root's package.json ({ "sharp": true, "sharp@0.33.0 || 0.34.0": false });
        # only without it, `allow-scripts` of .npmrc (names, with commas). Denying entries win. Versions must be exact,
        # since a range would allow versions that were not reviewed.
        class Npm
          PACKAGE = "package.json allowScripts"
          SETTING = ".npmrc allow-scripts"
          ALL = "dangerously-allow-all-scripts"

          def initialize(root, package, configuration)
            @root = root
            @configuration = configuration
            @source = Source.new(configuration)
            @where, @list = list(package)
          end

          def silent? = setting("ignore-scripts") == true

          # Invalid entries: neither a package nor a version.
          def ignored = @list.keys.reject { |word| address?(word) || exact(word) }

          # Full names of listed packages that may or may not come from the registry.
          def unknown = @source.unknown

          def decide(tree)
            return [true, ALL] if setting(ALL) == true

            found = @list.select { |word, allowed| match?(tree.package, word, allowed == false) }
            word, allowed = found.find { |_, value| value == false } || found.find { |_, value| value == true }
            word ? [allowed, "#{@where}: #{word}"] : [nil, nil]
          end

          # The entry that would allow a package in a list.
          def word(tree)
            package = tree.package
            @source.registry?(package) ? package.name : package.resolved || package.name
          end

          private

          def setting(key) = @configuration && @configuration[key]

          def list(package)
            own = package["allowScripts"]
            return [PACKAGE, own] if own.is_a?(Hash) && !own.empty?

            words = Array(setting("allow-scripts")).grep(String).flat_map { |text| text.split(",") }.map(&:strip)
            [SETTING, words.reject(&:empty?).to_h { |word| [word, true] }]
          end

          def match?(package, word, deny)
            return address(word) == package.resolved if address?(word)

            name, versions = exact(word)
            return false unless name == package.name && @source.proven?(package)

            # npm takes a version from the archive's address only: without one it allows no version.
            versions.nil? || (package.resolved ? versions.include?(package.version) : deny)
          end

          def address?(word) = word.match?(%r{\A(?:[a-z+]+:|\.{0,2}/)}i)

          # As the lockfile has it: a file relative to the root.
          def address(word)
            return word unless word.match?(%r{\A(?:file:|\.{0,2}/)}i)

            path = File.expand_path(word.sub(/\Afile:/i, ""), @root)
            "file:#{path.delete_prefix("#{@root}/")}"
          end

          # [name, nil or versions]; nil for what npm does not take.
          def exact(word)
            name, text = word.match(/\A(@?[^@]+)(?:@(.*))?\z/m)&.captures
            return unless name && Package::Name::NAME.match?(name)
            return [name, nil] if [nil, "", "*"].include?(text&.strip)

            versions = text.split("||").map(&:strip)
            [name, versions] if versions.any? && versions.all?(VERSION)
          end
        end
      end
    end
  end
end
