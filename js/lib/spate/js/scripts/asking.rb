# frozen_string_literal: true

module Spate
  module JS
    module Scripts
      # A package with scripts that an install would run.
      #
      # key:: the lockfile's
      # name, version:: of the package
      # path:: of its folder, relative to the root
      # scripts:: { event => text }
      # allowed:: true, false where a list denies it, nil where none names it
      # by:: the list and its entry: "package.json allowScripts: sharp"; nil if none
      # word:: the entry that would allow it in a list
      # found:: the archive's own name, if it differs from the lockfile's, so that nothing runs; else nil
      # unknown:: whether a list names it, but it is unknown whether it comes from the registry
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

        # Whether it runs without a check of its origin.
        def unproven? = Policy::ALL.include?(by)

        # For people and for lists.
        def full_name = [name, version].compact.join("@")
      end
    end
  end
end
