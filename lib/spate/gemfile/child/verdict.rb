# frozen_string_literal: true

require_relative "../facts"

module Spate
  module Gemfile
    module Child
      # What the evaluation says, as Facts.
      class Verdict
        # The exception that the evaluation ended with.
        attr_reader :failure

        def initialize(lockfile)
          @lockfile = Pathname.new(lockfile)
          @facts = Facts.new(bundler_version: Bundler::VERSION)
        end

        def of(definition)
          @facts.differences = texts(Judgement.new(definition, @lockfile).differences)
          @facts.misfit = misfit(definition)
          @facts.dependencies = definition.dependencies.uniq(&:name).map { |dependency| dependency(dependency) }
          @facts.optional_groups = definition.instance_variable_get(:@optional_groups).uniq.map(&:to_sym)
          @facts.path_specs = path_specs(definition)
        end

        # Bundler's own errors are meant for users: their classes say nothing more.
        def failed(error)
          @failure = error
          words = error.is_a?(Bundler::BundlerError) ? error.message : "#{error.class}: #{error.message}"
          @facts.failure = text(words).scrub.strip.lines(chomp: true)
        end

        # hooks: what the Gemfile said to Bundler.
        def facts(hooks)
          @facts.plugins = texts(hooks.plugins)
          @facts.sources = texts(hooks.remotes)
          @facts
        end

        private

        def dependency(dependency)
          forced = dependency.respond_to?(:force_ruby_platform) && dependency.force_ruby_platform
          Dependency.new(text(dependency.name), dependency.groups.map(&:to_sym), !!dependency.should_include?,
                         (true if forced))
        end

        # Why this Ruby does not fit, nil where it does. Platforms are the plan's to judge.
        def misfit(definition)
          definition.validate_ruby!
          nil
        rescue Bundler::RubyVersionMismatch => e
          text(e.message)
        end

        # Of PATH sources whose folders exist.
        def path_specs(definition)
          paths = definition.send(:sources).path_sources.grep_v(Bundler::Source::Git)
          paths.flat_map do |source|
            source.specs.map { |spec| path_spec(spec) }
          rescue Bundler::PathError
            []
          end
        end

        def path_spec(spec)
          path = "#{spec.full_gem_path}/"
          folder = path.delete_prefix("#{@lockfile.dirname}/").chomp("/")
          PathSpec.new(*[spec.name, spec.version, folder.empty? ? "." : folder, spec.bindir].map { |one| text(one) },
                       texts(spec.executables))
        end

        def texts(list) = list.map { |one| text(one) }

        # Of a Gemfile's objects nothing but what they say.
        def text(object) = String.new(object.to_s, encoding: Encoding::UTF_8)
      end
    end
  end
end
