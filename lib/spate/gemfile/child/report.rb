# frozen_string_literal: true

module Spate
  module Gemfile
    module Child
      # Evaluates and writes the lines. Nothing that a Gemfile does (raise, exit, print) keeps it from reporting.
      class Report
        FORMAT = "verdict 2"
        ESCAPES = { "\t" => "\\t", "\n" => "\\n", "\\" => "\\\\" }.freeze

        # Collects warnings instead of printing them.
        class Listener < Bundler::UI::Silent
          attr_reader :heard

          def warn(message = nil, *)
            (@heard ||= []) << message.to_s if message
          end
        end

        def initialize(output, gemfile, lockfile, flags)
          @output = output
          @gemfile = Pathname.new(gemfile)
          @lockfile = Pathname.new(lockfile)
          @flags = flags
          @lines = [FORMAT, +"bundler\t#{Bundler::VERSION}"]
        end

        def run
          Bundler.ui = @listener = Listener.new
          settle
          trace = Trace.new(@gemfile.dirname.to_s, [@gemfile.to_s, @lockfile.to_s])
          evaluate(trace)
          trace.inputs.each { |fields| tell("input", *fields) }
          trace.volatile.each { |reason| tell("volatile", reason) }
        ensure
          Array(@listener&.heard).uniq.each { |message| tell("warning", message) }
          @output << @lines.join("\n") << "\n"
          @output.close
        end

        private

        # The command's flags outrank what the files say. Users and passwords of sources are no difference, as in newer
        # Bundlers; version 2.3 has a setting for that.
        def settle
          Bundler.settings.temporary(allow_deployment_source_credential_changes: true)
          @flags.each do |flag|
            name, value = flag.split("=", 2)
            Bundler.settings.temporary(name.to_sym => value)
          end
        end

        def evaluate(trace)
          definition = trace.during { Bundler::Definition.build(@gemfile, @lockfile, nil) }
          trace.plugins.each { |name| tell("plugin", name) }
          trace.remotes.each { |remote| tell("source", remote) }
          trace.during { describe(definition) }
        rescue Exception => e # rubocop:disable Lint/RescueException -- `exit` and syntax errors in a Gemfile too
          trace.plugins.each { |name| tell("plugin", name) } unless definition
          words(e).strip.each_line(chomp: true) { |line| tell("failure", line) }
        end

        # Bundler's own errors are meant for users: their classes say nothing more.
        def words(error)
          error.is_a?(Bundler::BundlerError) ? error.message : "#{error.class}: #{error.message}"
        end

        def describe(definition)
          judgement = Judgement.new(definition, @lockfile)
          judgement.differences.each { |line| tell("difference", line) }
          tell("misfit", judgement.misfit) if judgement.misfit
          tell("ruby", definition.ruby_version.to_s.delete_prefix("ruby ")) if definition.ruby_version
          definition.dependencies.uniq(&:name).each { |dependency| dependency(dependency) }
          definition.instance_variable_get(:@optional_groups).uniq.each { |group| tell("optional", group) }
          judgement.path_specs.each { |folder, spec| path(folder, spec) }
        end

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
