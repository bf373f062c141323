# frozen_string_literal: true

module Spate
  module JS
    module Scripts
      # A package that would run something.
      #
      # key:: the lockfile's
      # name, version:: of the package
      # path:: of its folder, relative to the root
      # scripts:: { event => text }
      # allowed:: true, false where a list denies it, nil where none names it
      # by:: which list, and its word: "package.json allowScripts: sharp"; nil where none
      # word:: what a list calls it, to allow it
      # found:: what the archive calls itself, where that is not what the lockfile says and nothing runs therefore
      # unknown:: whether a list names it, and nobody knows whether it is the registry's
      Asking = Struct.new(:key, :name, :version, :path, :scripts, :word, :allowed, :by, :found, :unknown) do
        # In the order of the plan.
        def self.all(plan, facts, policy)
          plan.trees.filter_map do |tree|
            next unless facts[tree.path]&.builds?

            scripts = facts[tree.path].scripts.slice(*Package::Facts::BUILDS)
            decision = Policy.proven(policy.decide(tree), tree.package, facts[tree.path])
            new(tree.key, tree.package.name, tree.package.version, tree.path, scripts, policy.word(tree),
                *decision.values_at(0, 1, 2), policy.unknown.include?(tree.package.full_name))
          end
        end

        # Whether nobody wants to know who it is.
        def unproven? = Policy::ALL.include?(by)

        # For people and for lists.
        def full_name = [name, version].compact.join("@")
      end
    end
  end
end
