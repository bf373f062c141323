# frozen_string_literal: true

module Spate
  module Resolve
    module Child
      # Shorter ways to the results of Bundler's resolver, for what occurs thousands of times: a version with one
      # archive, for all platforms. Each module is prepended to the class or module of Bundler with the same name.
      module Resolver
        def self.install
          Bundler::Resolver.prepend(SelfDependencies, Constraints)
          Bundler::PubGrub::VersionConstraint.prepend(VersionConstraint)
          [Bundler::Resolver, *platform_matchers].each { |owner| owner.prepend(PlatformMatch) }
          require_relative "explanation"
          Bundler::Resolver.prepend(Explanation::Resolver) if Bundler.const_defined?(:SolveFailure)
          Bundler::Resolver::Package.prepend(Package)
          Bundler::Resolver::SpecGroup.prepend(SpecGroup)
          Gem::Version.prepend(VersionOrder) if Gem::Version.method_defined?(:canonical_segments)
        end

        # Bundler 4 has the method in another module.
        def self.platform_matchers
          %i[GemHelpers MatchPlatform].filter_map do |name|
            owner = Bundler.const_get(name) if Bundler.const_defined?(name)
            owner.singleton_class if owner.respond_to?(:select_best_platform_match)
          end
        end

        # Dependencies on itself are rare, and visible in the text of the page.
        module SelfDependencies
          def filter_invalid_self_dependencies(specs, name)
            clean = specs.all? { |spec| Specification === spec && !spec.mentions?(name) } # rubocop:disable Style/CaseEquality
            clean ? specs : super
          end
        end

        module Package
          def platform_specs(specs)
            Resolver.universal?(specs) ? Array.new(platforms.size, specs) : super
          end
        end

        module PlatformMatch
          def select_best_platform_match(specs, platform, force_ruby: false, **options)
            !force_ruby && Resolver.universal?(specs) ? specs : super
          end
        end

        # Equal requirements are one object (see Specification), and so is what they mean for a gem.
        module Constraints
          def parse_dependency(package, requirement)
            known = (@spate_constraints ||= {}.compare_by_identity)[package] ||= {}.compare_by_identity
            known[requirement] ||= super
          end
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

      # Compares versions by a text with the same order, made once for each version.
      module VersionOrder
        # Segments are compared one by one. A missing one counts as 0, and letters are less than numbers.
        def <=>(other)
          Gem::Version === other ? order <=> other.order : super # rubocop:disable Style/CaseEquality
        end

        # Equal versions ("1.0", "1.0.0") have the same one, as with RubyGems.
        def hash = order.hash

        def order
          @order || begin
            text = canonical_segments.map { |segment| VersionOrder.text(segment) }.join << END_OF_VERSION
            frozen? ? text : @order = text
          end
        end

        END_OF_VERSION = "\x02".b

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
