# frozen_string_literal: true

module Spate
  module Resolve
    module Child
      # Describes a conflict found by PubGrub: the requirements on a gem, and its existing versions.
      #
      #   No version of base satisfies all of:
      #     left 1.0 requires base >= 1.1
      #     Gemfile requires base < 1.1
      #   versions of base: 1.2, 1.1, 1.0
      #   Gemfile requires left
      class Explanation
        VERSIONS = 8

        # Prepended to Bundler::Resolver.
        module Resolver
          def solve_versions(**)
            super
          rescue Bundler::SolveFailure => e
            text = Explanation.of(e.cause, @all_specs) # with a line `hint: `, which BundleCommand reads
            raise e unless text

            raise Bundler::SolveFailure, "#{text}\n\n#{e.message if ENV["DEBUG"]}".rstrip
          end
        end

        # The text, or nil if the failure has an unexpected form. specs: { name => specifications }
        def self.of(failure, specs)
          new(failure.incompatibility, specs).text
        rescue StandardError
          nil
        end

        # specs: of a gem.
        def self.existing(name, specs)
          versions = specs.map(&:version).uniq.sort.reverse
          return "no source has a gem #{name}" if versions.empty?

          more = versions.size > VERSIONS ? " and #{versions.size - VERSIONS} older ones" : ""
          "versions of #{name}: #{versions.first(VERSIONS).join(", ")}#{more}"
        end

        def initialize(incompatibility, specs)
          @specs = specs
          @needs = needs(leaves(incompatibility).uniq)
        end

        # Lists gems with conflicting requirements first, then the chain from the Gemfile to the gems that require them.
        def text
          contested, others = @needs.partition { |need| rivals(need.name).size > 1 || META.include?(need.name) }
          return if @needs.empty?

          blocks = contested.group_by(&:name).map { |name, all| block(name, all) }
          blocks << others.map(&:to_s) if others.any?
          blocks << existing(last(others).name) if contested.empty?
          blocks.concat(hint(contested.empty? ? [last(others)] : contested))
          blocks.flatten.join("\n")
        end

        META = %w[Ruby RubyGems].freeze

        # Requirements of a gem's versions, or of the Gemfile, on another gem. by: name of the gem or "Gemfile". ranges:
        # ranges of its versions. wanted: the requirement of each range.
        Need = Struct.new(:by, :name, :ranges, :wanted) do
          def to_s = "#{dependent} requires #{name}#{requirement}"
          def gemfile? = ranges == [nil]

          def dependent
            return by if gemfile?

            return "#{by} (#{ranges.size} versions)" unless ranges.one?

            ranges == [">= 0"] ? by : "#{by} #{ranges.first}"
          end

          def requirement
            return wanted.first == ">= 0" ? "" : " #{wanted.first}" if wanted.uniq.one?
            return " of the same version" if same_version?

            " #{wanted.uniq.first(3).join(" or ")}#{" or others" if wanted.uniq.size > 3}"
          end

          def same_version?
            ranges.zip(wanted).all? { |range, want| want.start_with?("= ") && range.to_s.include?(want) }
          end
        end
        private_constant :Need

        private

        # The incompatibilities from which a conflict was derived: a gem's dependency, or missing versions.
        def leaves(incompatibility)
          return [incompatibility] unless incompatibility.conflict?

          cause = incompatibility.cause
          leaves(cause.conflict) + leaves(cause.other)
        end

        def needs(facts)
          found = facts.select { |fact| fact.cause == :dependency }.map(&:terms)
          found.reject! { |by, need| by.package.root? && META.include?(need.package.to_s) }
          found.group_by { |terms| terms.map { |term| term.package.to_s } }.sort_by(&:first).map do |(by, name), all|
            ranges = all.map { |term, _| term.package.root? ? nil : range(term) }
            Need.new(by, name, ranges, all.map { |_, term| range(term) })
          end
        end

        def range(term)
          text = (term.positive? ? term : term.invert).constraint.constraint_string
          text == "any" || text.empty? ? ">= 0" : text.gsub(/< (\d\S*)\.A\b/, '< \1')
        end

        # The last requirement in a chain, for a gem whose existing versions do not satisfy it.
        def last(needs) = needs.find { |need| @needs.none? { |other| other.by == need.name } } || needs.first

        def rivals(name) = @needs.select { |need| need.name == name }

        def block(name, needs)
          return [*needs.map(&:to_s), existing(name)] if META.include?(name)

          ["No version of #{name} satisfies all of:", *needs.map { |need| "  #{need}" }, existing(name)]
        end

        def hint(contested)
          need = contested.find { |one| !META.include?(one.name) }
          need ? ["hint: #{Hint.new(@needs, need.name, @specs[need.name]).text}"] : []
        end

        def existing(name)
          return "this is Ruby #{RUBY_VERSION}" if name == "Ruby"
          return "this is RubyGems #{::Gem::VERSION}" if name == "RubyGems"
          return "this is Bundler #{Bundler::VERSION}" if name == "bundler"

          Explanation.existing(name, @specs[name])
        end
      end
    end
  end
end
