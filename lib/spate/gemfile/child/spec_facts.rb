# frozen_string_literal: true

module Spate
  module Gemfile
    module Child
      # A specification of the bundle as plain values, in the order in which Boot::BundlerReplay::Spec reads them.
      module SpecFacts
        module_function

        # spec: Bundler's or RubyGems' object for the gem, a stub or a Gem::Specification.
        def of(spec)
          [spec.name.to_s, spec.version.to_s, spec.platform.to_s, spec.loaded_from&.to_s, spec.full_gem_path.to_s,
           strings(spec.raw_require_paths), strings(spec.full_require_paths), spec.extension_dir.to_s,
           strings(spec.extensions), kind(spec), spec.default_gem? ? true : false]
        end

        # The last field: the stub's dependencies, if they differ (because the lockfile's do).
        def more(spec)
          full = full(spec)
          dependencies = full.dependencies.map { |dependency| dependency_facts(dependency) }
          shown = spec.dependencies.map { |dependency| dependency_facts(dependency) }
          [full.bindir.to_s, strings(full.executables), full.original_platform.to_s, dependencies,
           full.metadata.to_h { |key, value| [key.to_s, value.to_s] }, (shown if shown != dependencies)]
        end

        def full(spec) = spec.is_a?(Gem::Specification) ? spec : spec.send(:_remote_specification)

        def kind(spec)
          source = spec.respond_to?(:source) ? spec.source : nil
          case source
          when Bundler::Source::Git then :git
          when Bundler::Source::Path then :path
          when Bundler::Source::Rubygems, nil then :gem
          else source.class.name.to_s.start_with?("Gem::Source", "Bundler::Source::Metadata") ? :gem : :other
          end
        end

        def dependency_facts(dependency)
          [dependency.name.to_s, dependency.type, dependency.requirement.as_list, dependency.prerelease? || false]
        end

        def strings(list) = Array(list).flatten.map(&:to_s)
      end
    end
  end
end
