# frozen_string_literal: true

module Spate
  module Resolve
    module Child
      # Speeds up parts of Bundler's resolver that run thousands of times, for the most common case: versions with a
      # single archive for all platforms. The results are the same. Each module is prepended to Bundler's class or
      # module with the same name.
      module Resolver
        def self.install
          Bundler::Resolver.prepend(SelfDependencies, Constraints)
          install_versions
          Bundler::PubGrub::VersionConstraint.prepend(VersionConstraint)
          [Bundler::Resolver, *platform_matchers].each { |owner| owner.prepend(PlatformMatch) }
          install_explanations
          Bundler::Resolver::Package.prepend(Package)
          Bundler::Resolver::SpecGroup.prepend(SpecGroup)
          Gem::Version.prepend(VersionOrder) if Gem::Version.method_defined?(:canonical_segments)
        end

        def self.install_versions
          methods = [*Bundler::Resolver.private_instance_methods, *Bundler::Resolver.instance_methods]
          return unless (%i[setup_solver versions_for] - methods).empty?

          Bundler::Resolver.prepend(Versions)
          range = Bundler::PubGrub::VersionRange
          range.prepend(UpperInvert) if range.method_defined?(:upper_invert)
        end

        def self.install_explanations
          require_relative "explanation"
          require_relative "hint"
          require_relative "missing_gem"
          Bundler::Resolver.prepend(Explanation::Resolver) if Bundler.const_defined?(:SolveFailure)
          return unless Bundler::Resolver.private_method_defined?(:raise_not_found!)

          Bundler::Resolver.prepend(MissingGem::Resolver)
        end

        # Bundler 4 has this method in a different module.
        def self.platform_matchers
          %i[GemHelpers MatchPlatform].filter_map do |name|
            owner = Bundler.const_get(name) if Bundler.const_defined?(name)
            owner.singleton_class if owner.respond_to?(:select_best_platform_match)
          end
        end

        # A gem rarely depends on itself. This can be excluded by searching for its name in the page.
        module SelfDependencies
          def filter_invalid_self_dependencies(specs, name)
            clean = specs.all? { |spec| Specification === spec && !spec.mentions?(name) } # rubocop:disable Style/CaseEquality
            clean ? specs : super
          end
        end

        module Package
          def hash = @hash ||= super

          def platform_specs(specs)
            Resolver.universal?(specs) ? Array.new(platforms.size, specs) : super
          end
        end

        module PlatformMatch
          def select_best_platform_match(specs, platform, force_ruby: false, **options)
            !force_ruby && Resolver.universal?(specs) ? specs : super
          end
        end

        # Caches the constraint for each requirement. Equal requirements are the same object (see Specification).
        module Constraints
          def parse_dependency(package, requirement)
            known = (@spate_constraints ||= {}.compare_by_identity)[package] ||= {}.compare_by_identity
            known[requirement] ||= super
          end
        end

        # Caches the versions in a range. In each step, the solver asks for those of all undecided packages. A package's
        # range is the same object until the solver excludes versions of it.
        module Versions
          # While it prepares, Bundler may add prereleases and remote versions to a range.
          def setup_solver
            @spate_versions = nil
            super.tap { @spate_versions = {}.compare_by_identity }
          end

          def versions_for(package, range = Bundler::Resolver::VersionRange.any)
            return super unless @spate_versions

            known = @spate_versions[range] ||= {}.compare_by_identity
            known[package] ||= super
          end
        end

        # Returns the same range for each call, so that its versions are cached.
        module UpperInvert
          def upper_invert = @upper_invert ||= super
        end

        module VersionConstraint
          def ==(other) = equal?(other) || super
        end

        module SpecGroup
          def dependencies
            one = @specs.size == 1 && @specs.first
            @dependencies ||= one.is_a?(Specification) ? one.sorted_dependencies : super
          end

          def merge(other) = same?(other) || super
          def ==(other) = same?(other) || super

          protected

          def same?(other) = @specs.size == 1 && other.specs.size == 1 && @specs.first.equal?(other.specs.first)
        end

        def self.universal?(specs)
          specs.size == 1 && specs.first.platform == Gem::Platform::RUBY
        end
      end

      # Compares versions through a String with the same order, which is created once for each version.
      module VersionOrder
        # Compares as RubyGems does: segment by segment. A missing segment counts as 0, and letters are less than
        # numbers.
        def <=>(other)
          return super unless Gem::Version === other && order && other.order # rubocop:disable Style/CaseEquality

          order <=> other.order
        end

        # Equal versions ("1.0", "1.0.0") have the same hash, as in RubyGems.
        def hash = (order || canonical_segments).hash

        # nil if letters follow a zero: RubyGems sorts such a version ("1.a.0.b") before the shorter one ("1.a").
        def order
          @order || begin
            text = @version.match?(NUMERIC) ? VersionOrder.numeric(@version) : VersionOrder.mixed(canonical_segments)
            frozen? ? text : @order = text
          end
        end

        END_OF_VERSION = "\x02".b
        NUMERIC = /\A\d+(?:\.\d+)*\z/
        # "12" => text(12)
        NUMBERS = Hash.new { |known, digits| known[digits] = VersionOrder.text(digits.to_i) }
        private_constant :NUMERIC, :NUMBERS

        def self.numeric(version)
          texts = version.split(".").map { |digits| NUMBERS[digits] }
          texts.pop while texts.last == END_OF_VERSION # zeros
          texts.join << END_OF_VERSION
        end

        def self.mixed(segments)
          return if segments.each_cons(2).any? { |one, two| one == 0 && two.is_a?(String) }

          segments.map { |segment| text(segment) }.join << END_OF_VERSION
        end

        def self.text(segment)
          return "\x01#{segment}\0".b if segment.is_a?(String)
          return END_OF_VERSION if segment.zero?

          digits = segment.to_s
          digits.bytesize > 255 ? long(digits) : [3, digits.bytesize].pack("CC") << digits
        end

        def self.long(digits) = [4, digits.bytesize].pack("CN") << digits
      end
    end
  end
end
