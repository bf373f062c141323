# frozen_string_literal: true

module Spate
  module Gemfile
    # One `gem` line of the Gemfile, or one development dependency of its gemspec.
    #
    # name; groups [:default]; platforms_ok: whether it applies to this Ruby and machine (platforms, `env` and
    # `install_if` together); force_ruby_platform true or nil.
    Dependency = Struct.new(:name, :groups, :platforms_ok, :force_ruby_platform)

    # A gem in a folder of the application. folder: absolute, or relative to the application.
    PathSpec = Struct.new(:name, :version, :folder, :bindir, :executables)

    # The results of evaluating a Gemfile and its lockfile, as the child process reports them and the store caches them.
    #
    # bundler_version   of the Bundler that evaluated
    # dependencies      [Dependency], in the Gemfile's order
    # differences       how Gemfile and lockfile differ, a line each; empty if they agree
    # optional_groups   [Symbol] groups that are installed only `with` them
    # path_specs        [PathSpec] gems of PATH sources
    # misfit            why this Ruby or machine does not fit, as Bundler prints it; nil if it does
    # sources           [String] gem sources as the Gemfile spells them, with user and password if known
    # hidden            sources whose password is not stored: `Check.sources` reads it
    # plugins           names of Bundler plugins that the Gemfile uses
    # failure           lines of an error that the evaluation ended with
    # volatile          why the Gemfile check is not cached; empty if it is
    Facts = Struct.new(:bundler_version, :misfit, :dependencies, :differences, :optional_groups, :path_specs, :sources,
                       :hidden, :plugins, :failure, :volatile, keyword_init: true) do
      def initialize(**)
        super
        members.drop(2).each { |list| self[list] ||= [] }
      end

      # Whether Bundler would install from the current lockfile.
      def agrees? = differences.empty? && failure.empty?

      # Whether that Bundler supports the setting `only`.
      def knows_only? = (bundler_version.split(".").first(2).map(&:to_i) <=> [2, 4]) >= 0

      # Names of all groups (String).
      def groups = [:default, *dependencies.flat_map(&:groups), *optional_groups].map(&:to_s).uniq

      # The differences in one line.
      def difference = differences.join("; ")

      def plugins? = plugins.any?
      def hidden? = hidden.any?
      def rememberable? = volatile.empty? && failure.empty?

      # The same facts without users and passwords, for the store.
      def without_secrets
        dup.tap do |plain|
          %i[sources differences].each { |name| plain[name] = self[name].map { |line| line.gsub(USERINFO, '\1') } }
          plain.hidden = plain.sources - sources
        end
      end
    end
  end
end
