# frozen_string_literal: true

module Spate
  module Gemfile
    # What evaluating a Gemfile beside its lockfile told. Read from lines of `kind<TAB>field<TAB>field`, the form in
    # which the child process reports and the store remembers.
    class Facts
      FORMAT = "verdict 3"

      # A gem in a folder of the application. folder: absolute, or relative to the application; extensions: what it
      # builds.
      PathSpec = Struct.new(:name, :version, :folder, :bindir, :executables, :extensions, :require_paths)

      # [Dependency], in the Gemfile's order
      attr_reader :dependencies
      # How Gemfile and lockfile differ, a line each; empty where they agree.
      attr_reader :differences
      # [Symbol] groups that are installed only `with` them.
      attr_reader :optional_groups
      # [PathSpec] gems of PATH sources.
      attr_reader :path_specs
      # Ruby that the Gemfile asks for ("~> 3.1"), nil where it says nothing.
      attr_reader :ruby
      # Why this Ruby or machine does not fit, in Bundler's words, nil where it does.
      attr_reader :misfit
      # [String] gem sources as the Gemfile spells them, with user and password where those are known; see hidden?.
      attr_reader :sources
      # Names of Bundler plugins that the Gemfile uses.
      attr_reader :plugins
      # What Bundler warned of.
      attr_reader :warnings
      # Why the verdict is not remembered, empty where it is.
      attr_accessor :volatile
      # Lines of an error that the evaluation ended with.
      attr_reader :failure
      # Version of the Bundler that evaluated.
      attr_reader :bundler_version

      # Facts, or nil where the text is of another format.
      def self.read(text)
        head, body = text.split("\n", 2)
        new(body) if head == FORMAT
      end

      # The text without users and passwords, for the store.
      def self.without_secrets(text)
        text.each_line(chomp: true).map do |line|
          plain = line.gsub(USERINFO, '\1')
          plain += "\thidden" if line != plain && line.start_with?("source\t")
          plain
        end.join("\n").concat("\n")
      end

      # An escaped field as it was: tab, newline and backslash are written with a backslash.
      def self.plain(field)
        return field unless field.include?("\\")

        field.gsub(/\\[tn\\]/, "\\t" => "\t", "\\n" => "\n", "\\\\" => "\\")
      end

      def initialize(body)
        @dependencies, @differences, @optional_groups, @path_specs, @plugins, @warnings, @volatile, @failure, @sources,
          @hidden = Array.new(10) { [] }
        body.each_line(chomp: true) do |line|
          kind, *fields = line.split("\t").map! { |field| Facts.plain(field) }
          take(kind, fields)
        end
      end

      # Bundler would install from this lockfile as it stands.
      def agrees? = @differences.empty? && @failure.empty?
      alias agrees agrees?

      # Whether that Bundler knows the setting `only`.
      def knows_only? = (@bundler_version.split(".").first(2).map(&:to_i) <=> [2, 4]) >= 0

      # Names of all groups that there are (String).
      def groups
        ["default", *@dependencies.flat_map { |dependency| dependency.groups.map(&:to_s) },
         *@optional_groups.map(&:to_s)].uniq
      end

      # The differences in one line.
      def difference = @differences.join("; ")

      def plugins? = @plugins.any?

      # [String] sources with a password in the Gemfile that is not remembered: `Verdict.sources` asks for it.
      attr_reader :hidden

      def hidden? = @hidden.any?

      def rememberable? = @volatile.empty? && @failure.empty?

      private

      def take(kind, fields)
        case kind
        when "dependency" then @dependencies << Dependency.read(fields)
        when "difference" then @differences << fields[0]
        when "optional" then @optional_groups << fields[0].to_sym
        when "path" then @path_specs << path_spec(fields)
        when "source" then source(*fields)
        when "plugin" then @plugins << fields[0]
        when "warning" then @warnings << fields[0]
        when "failure" then @failure << fields[0].to_s
        when "ruby" then @ruby = fields[0]
        when "misfit" then @misfit = fields[0]
        when "bundler" then @bundler_version = fields[0]
        end
      end

      def source(uri, hidden = nil)
        @sources << uri
        @hidden << uri if hidden
      end

      def path_spec(fields)
        name, version, folder, bindir, *lists = fields
        PathSpec.new(name, version, folder, bindir, *Array.new(3) { |index| lists[index].to_s.split(",") })
      end
    end
  end
end
