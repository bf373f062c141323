# frozen_string_literal: true

module Spate
  module Gemfile
    module Child
      # Lines of the verdict, as Spate::Gemfile::Facts reads them.
      class Verdict
        FORMAT = "verdict 3"
        ESCAPES = { "\t" => "\\t", "\n" => "\\n", "\\" => "\\\\" }.freeze

        # Collects warnings instead of printing them.
        class Listener < Bundler::UI::Silent
          attr_reader :heard

          def warn(message = nil, *)
            (@heard ||= []) << message.to_s if message
          end
        end

        # The exception that the evaluation ended with; what Bundler is to talk to.
        attr_reader :failure, :listener

        def initialize(lockfile)
          @lockfile = Pathname.new(lockfile)
          @listener = Listener.new
          @lines = [+"bundler\t#{Bundler::VERSION}"]
        end

        def of(definition)
          judgement = Judgement.new(definition, @lockfile)
          judgement.differences.each { |line| tell("difference", line) }
          tell("misfit", judgement.misfit) if judgement.misfit
          tell("ruby", definition.ruby_version.to_s.delete_prefix("ruby ")) if definition.ruby_version
          definition.dependencies.uniq(&:name).each { |dependency| dependency(dependency) }
          definition.instance_variable_get(:@optional_groups).uniq.each { |group| tell("optional", group) }
          judgement.path_specs.each { |folder, spec| path(folder, spec) }
        end

        # Bundler's own errors are meant for users: their classes say nothing more.
        def failed(error)
          @failure = error
          words = error.is_a?(Bundler::BundlerError) ? error.message : "#{error.class}: #{error.message}"
          words.strip.each_line(chomp: true) { |line| tell("failure", line) }
        end

        # hooks: what the Gemfile said to Bundler.
        def text(hooks)
          hooks.plugins.each { |name| tell("plugin", name) }
          hooks.remotes.each { |remote| tell("source", remote) }
          Array(@listener.heard).uniq.each { |message| tell("warning", message) }
          [FORMAT, *@lines].join("\n") << "\n"
        end

        private

        # Without the source's own words: for those of git, Bundler 2.6 begins a clone in the bundle.
        def dependency(dependency)
          forced = dependency.respond_to?(:force_ruby_platform) && dependency.force_ruby_platform
          required = dependency.autorequire && "=#{dependency.autorequire.join(",")}"
          tell("dependency", dependency.name, dependency.requirement, dependency.groups.join(","),
               dependency.platforms.join(","), dependency.should_include? ? 1 : 0, forced ? 1 : 0,
               kind(dependency.source), *required)
        end

        def kind(source)
          case source
          when nil then "default"
          when Bundler::Source::Git then "git"
          when Bundler::Source::Path then "path"
          when Bundler::Source::Rubygems then "rubygems"
          else "plugin"
          end
        end

        def path(folder, spec)
          tell("path", spec.name, spec.version, folder, spec.bindir, spec.executables.join(","),
               spec.extensions.join(","), spec.require_paths.join(","))
        end

        def tell(kind, *fields)
          @lines << [kind, *fields.map { |field| field.to_s.gsub(/[\t\n\\]/, ESCAPES) }].join("\t")
        end
      end
    end
  end
end
