# frozen_string_literal: true

module Spate
  module Git
    # Evaluates gemspecs with the installed RubyGems and Bundler. Uses a child process, because a gemspec is code that
    # may change the working directory, load files and print.
    class Gemspecs
      # Bundler's default: the folder and up to two levels below.
      GLOB = "{,*,*/*}.gemspec"
      SCRIPT = File.expand_path("gemspecs_script.rb", __dir__)
      # The beginning of a gemspec that contains values instead of code.
      EVALUATED = /\A# -\*- encoding: utf-8 -\*-\n# stub: /

      def self.evaluated?(path) = File.binread(path, 64).to_s.match?(EVALUATED)

      # folder: the folder of a checkout or path source. glob: from the lockfile, or nil.
      def initialize(folder, glob: nil, env: ENV.to_h)
        @folder = folder
        @glob = glob || GLOB
        @env = env
      end

      # Excludes paths outside of the folder, which a glob in the lockfile may match, because the files are evaluated
      # and rewritten.
      def paths
        @paths ||= Dir.glob(@glob, base: @folder).reject { |path| path.match?(%r{\A/|(?:\A|/)\.\.(?:/|\z)}) }
                      .sort.map { |path| File.join(@folder, path) }
      end

      # Whether all gemspecs have been rewritten.
      def evaluated? = paths.all? { |path| Gemspecs.evaluated?(path) }

      # Returns [Gemspec]. Raises UnusableGemspec. rewrite: whether to replace gemspecs with their evaluated form, as
      # Bundler does in git checkouts.
      def read(rewrite: false)
        return [] if paths.empty?

        evaluate(rewrite).map do |path, facts|
          raise UnusableGemspec.new(path, facts) if facts.is_a?(String)

          Gemspec.new(path: path, folder: File.dirname(path), **facts)
        end
      end

      private

      def evaluate(rewrite)
        words = [SCRIPT, rewrite ? "rewrite" : "read", *paths]
        # Redirects a gemspec's output to stderr, because stdout is for the results of the run. The child keeps the
        # working directory, in which Bundler validates the result.
        Util::Child.run(environment, *words, out: :err, unsetenv_others: false) do |child|
          child.value || raise(UnusableGemspec.new(@folder, "its evaluation ended with #{child.status}"))
        end
      end

      # Removes bundler/setup from RUBYOPT, which would set up the bundle of an outer `bundle exec`.
      def environment
        { "RUBYOPT" => Util::Environment.ruby_options(@env), "BUNDLE_GEMFILE" => nil,
          "GIT_DIR" => nil, "GIT_WORK_TREE" => nil, "GIT_INDEX_FILE" => nil }
      end
    end

    # The values of an evaluated gemspec: Strings and Arrays of Strings. path:: path of the .gemspec file dependencies::
    # names of its runtime dependencies
    Gemspec = Struct.new(:path, :folder, :name, :version, :platform, :require_paths, :bindir, :executables, :extensions,
                         :dependencies, :required_ruby, :required_rubygems, :post_install_message,
                         keyword_init: true) do
      def full_name = platform == "ruby" ? "#{name}-#{version}" : "#{name}-#{version}-#{platform}"
      def native? = !extensions.empty?
    end
  end
end
