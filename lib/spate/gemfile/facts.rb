# frozen_string_literal: true

module Spate
  module Gemfile
    # One `gem` line of the Gemfile, or one development dependency of its gemspec.
    #
    # groups: e.g. [:default]. platforms_ok: whether `platforms`, `env` and `install_if` include this Ruby and machine.
    # force_ruby_platform: true or nil.
    Dependency = Struct.new(:name, :groups, :platforms_ok, :force_ruby_platform)

    # A gem in a folder of the application. folder: absolute, or relative to the application.
    PathSpec = Struct.new(:name, :version, :folder, :bindir, :executables)

    # The results of evaluating a Gemfile and its lockfile. The child process reports them, and the store caches them.
    #
    # bundler_version   version of the Bundler that evaluated the Gemfile
    # dependencies      [Dependency], in the Gemfile's order
    # differences       how Gemfile and lockfile differ, one line each; empty if they match
    # optional_groups   [Symbol] groups that are installed only if the setting `with` includes them
    # path_specs        [PathSpec] gems of path sources
    # misfit            why this Ruby or machine is excluded, as Bundler prints it; nil if it is not
    # sources           [String] gem sources as written in the Gemfile, with user and password if known
    # hidden            sources whose password is not stored: `Check.sources` reads it
    # plugins           names of Bundler plugins that the Gemfile uses
    # failure           lines of the error that ended the evaluation
    # volatile          reasons why the Gemfile check cannot be cached; empty if it can
    Facts = Struct.new(:bundler_version, :misfit, :dependencies, :differences, :optional_groups, :path_specs, :sources,
                       :hidden, :plugins, :failure, :volatile, keyword_init: true) do
      def initialize(**)
        super
        members.drop(2).each { |list| self[list] ||= [] }
      end

      # Whether Bundler would install from the current lockfile.
      def agrees? = differences.empty? && failure.empty?

      # Whether this version of Bundler supports the setting `only`.
      def supports_only? = (bundler_version.split(".").first(2).map(&:to_i) <=> [2, 4]) >= 0

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
