# frozen_string_literal: true

module Spate
  module JS
    module Scripts
      # Determines which packages may run scripts. A list contains names of packages in a registry. The lockfile's
      # address decides whether a package comes from a registry; a name in the archive, or an alias, does not. But a
      # package is denied if the name in its archive differs from the lockfile's.
      module Policy
        autoload :Pnpm, "spate/js/scripts/policy/pnpm"

        VERSION = /\A\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?\z/

        # Settings that allow all scripts without checking where packages come from.
        ALL = %w[dangerously-allow-all-scripts dangerouslyAllowAllBuilds].freeze
        # Characters that npm removes from versions.
        UNCLEAN = /\A[v=\s]+|\+.*|\s+\z/m
        private_constant :UNCLEAN

        # Returns a policy with these methods: decide(tree), which returns [true, false or nil, the list and its entry];
        # ignored, which returns [entries of lists without effect]; unknown, which returns [names of packages];
        # word(tree); and silent?, which returns whether all scripts are disabled. configuration: JS::Configuration, or
        # nil.
        def self.of(plan, configuration)
          package = Project.read(File.join(plan.root, Project::PACKAGE))
          return Npm.new(plan.root, package, configuration) unless plan.tool == "pnpm"

          Pnpm.new(plan.root, JS::Pnpm::Settings.again(plan, package, configuration), configuration)
        end

        # Returns the decision, or [nil, nil, found] if the archive contains a different package than the lockfile says.
        def self.proven(decision, package, facts)
          return decision if !decision.first || ALL.include?(decision.last)

          names = facts.name == package.name
          return decision if names && (package.version.nil? || clean(facts.version) == clean(package.version))

          [nil, nil, [facts.name || "nothing", facts.version].compact.join("@")]
        end

        def self.clean(version) = version.to_s.gsub(UNCLEAN, "")
        private_class_method :clean

        # Checks whether a package comes from the registry, under the name in the lockfile.
        class Source
          # configuration: responds to registry_for(name) and public_registry. If nil, only packages without an address
          # count as from the registry.
          def initialize(configuration)
            @configuration = configuration
            @unknown = []
          end

          # Full names of packages for which proven? returned false because the registry is unknown.
          attr_reader :unknown

          # Whether a package that a list names comes from the registry.
          def proven?(package)
            found = registry?(package)
            known = found || package.file? || @configuration.nil? || @configuration.public_registry
            @unknown |= [package.full_name] unless known
            found
          end

          def registry?(package)
            return false unless package.version
            return package.resolved.nil? unless @configuration

            known = registries(package.name)
            package.resolved ? below?(package, known) : known.any?
          end

          private

          def below?(package, registries)
            address = Configuration::Address.parse(package.resolved)
            !address.nil? && registries.any? { |registry| archive?(package, address, registry) }
          end

          # Whether the address is below the registry's own path: a host may have registries of several owners.
          def archive?(package, address, registry)
            return false unless address.origin == registry.origin && address.path.start_with?(registry.path) &&
                                address.query.empty?

            name, version = [package.name, package.version.sub(/\+.*/, "")].map { |part| Regexp.escape(part) }
            base = Regexp.escape(package.name[%r{[^/]+\z}])
            address.path.delete_prefix(registry.path)
                   .match?(%r{\A#{name.sub("/", "(?:/|%2[fF])")}/-/#{base}-#{version}\.tgz\z})
          end

          def registries(name)
            [@configuration.registry_for(name), @configuration.public_registry]
              .compact.uniq.filter_map { |address| Configuration::Address.parse(address) }
          end
        end

        # npm's lists: `allowScripts` of the root's package.json ({ "sharp": true, "sharp@0.33.0 || 0.34.0": false });
        # only if that is missing, `allow-scripts` of .npmrc (names, separated by commas). Denying entries have
        # precedence. Versions must be exact, because a range would allow versions that were not reviewed.
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

          # Invalid entries, which name neither a package nor a version.
          def ignored = @list.keys.reject { |word| address?(word) || exact(word) }

          # Full names of listed packages for which it is unknown whether they come from the registry.
          def unknown = @source.unknown

          def decide(tree)
            return [true, ALL] if setting(ALL) == true

            found = @list.select { |word, allowed| match?(tree.package, word, allowed == false) }
            word, allowed = found.find { |_, value| value == false } || found.find { |_, value| value == true }
            word ? [allowed, "#{@where}: #{word}"] : [nil, nil]
          end

          # The entry with which a list would allow the package.
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

            # npm reads the version from the archive's address only. Without an address, it allows no version.
            versions.nil? || (package.resolved ? versions.include?(package.version) : deny)
          end

          def address?(word) = word.match?(%r{\A(?:[a-z+]+:|\.{0,2}/)}i)

          # The entry as the lockfile writes it: the path of a file is relative to the root.
          def address(word)
            return word unless word.match?(%r{\A(?:file:|\.{0,2}/)}i)

            path = File.expand_path(word.sub(/\Afile:/i, ""), @root)
            "file:#{path.delete_prefix("#{@root}/")}"
          end

          # [name, nil or versions]; nil for an entry that npm ignores.
          def exact(word)
            name, text = word.match(/\A(@?[^@]+)(?:@(.*))?\z/m)&.captures
            return unless name && Package::Name::NAME.match?(name)
            return [name, nil] if [nil, "", "*"].include?(text&.strip)

            versions = text.split("||").map(&:strip)
            [name, versions] if versions.any? && versions.all?(VERSION)
          end
        end
      end

      # A package with scripts that an install would run.
      #
      # key:: the lockfile's key
      # name, version:: of the package
      # path:: of its folder, relative to the root
      # scripts:: { event => text }
      # allowed:: true; false if a list denies it; nil if no list names it
      # by:: the list and its entry: "package.json allowScripts: sharp"; nil if there is none
      # word:: the entry with which a list would allow the package
      # found:: the archive's own name if it differs from the lockfile's (no script runs then); otherwise nil
      # unknown:: whether a list names the package, but it is unknown whether it comes from the registry
      Asking = Struct.new(:key, :name, :version, :path, :scripts, :word, :allowed, :by, :found, :unknown) do
        # All packages with scripts, in the order of the plan.
        def self.all(plan, facts, policy)
          plan.trees.filter_map do |tree|
            next unless facts[tree.path]&.builds?

            scripts = facts[tree.path].scripts.slice(*Package::Facts::BUILDS)
            decision = Policy.proven(policy.decide(tree), tree.package, facts[tree.path])
            new(tree.key, tree.package.name, tree.package.version, tree.path, scripts, policy.word(tree),
                *decision.values_at(0, 1, 2), policy.unknown.include?(tree.package.full_name))
          end
        end

        # Whether the scripts run without a check of the package's origin.
        def unproven? = Policy::ALL.include?(by)

        # The name for display and for lists.
        def full_name = [name, version].compact.join("@")
      end
    end
  end
end
