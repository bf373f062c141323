# frozen_string_literal: true

require "rbconfig"

module Spate
  module Git
    # Evaluates gemspecs with the machine's own RubyGems and Bundler, in a child process: a gemspec is a program, it may
    # change folders, load files and print.
    class Gemspecs
      # Bundler's own: in the folder and one below.
      GLOB = "{,*,*/*}.gemspec"
      SCRIPT = File.expand_path("gemspecs_script.rb", __dir__)
      # How a gemspec begins that holds values instead of code.
      EVALUATED = /\A# -\*- encoding: utf-8 -\*-\n# stub: /

      def self.evaluated?(path) = File.binread(path, 64).to_s.match?(EVALUATED)

      # folder: of a checkout or a path source. glob: as the lockfile has it, or nil.
      def initialize(folder, glob: nil, env: ENV.to_h)
        @folder = folder
        @glob = glob || GLOB
        @env = env
      end

      # None outside of the folder, whatever the lockfile's glob says: they are evaluated and rewritten.
      def paths
        @paths ||= Dir.glob(@glob, base: @folder).reject { |path| path.match?(%r{\A/|(?:\A|/)\.\.(?:/|\z)}) }
                      .sort.map { |path| File.join(@folder, path) }
      end

      # Whether each has been rewritten.
      def evaluated? = paths.all? { |path| Gemspecs.evaluated?(path) }

      # Array of Gemspec. rewrite: replaces those that are code by what they evaluate to, as Bundler does in git
      # checkouts. Raises UnusableGemspec.
      def read(rewrite: false)
        return [] if paths.empty?

        evaluate(rewrite).map do |path, facts|
          raise UnusableGemspec.new(path, facts) if facts.is_a?(String)

          Gemspec.new(path: path, folder: File.dirname(path), **facts)
        end
      end

      private

      def evaluate(rewrite)
        reader, writer = IO.pipe(binmode: true)
        pid = spawn_child(writer, rewrite)
        writer.close
        answer = reader.read
        status = Process.wait2(pid).last
        raise UnusableGemspec.new(@folder, "its evaluation ended with #{status}") if answer.empty?

        Marshal.load(answer) # rubocop:disable Security/MarshalLoad -- our own child wrote it
      ensure
        reader&.close
      end

      # Standard output is for the run's results, not for a gemspec's chatter.
      # In the folder of this run: Bundler evaluates a gemspec in its own folder and looks at the result from here.
      def spawn_child(writer, rewrite)
        Process.spawn(environment, RbConfig.ruby, SCRIPT, writer.fileno.to_s, rewrite ? "rewrite" : "read", *paths,
                      writer.fileno => writer.fileno, in: File::NULL, out: :err)
      end

      # Under `bundle exec` Ruby would set up that bundle first.
      def environment
        options = @env["RUBYOPT"].to_s.split.reject { |option| option.match?(%r{\A-r.*bundler/setup\z}) }
        { "RUBYOPT" => options.empty? ? nil : options.join(" "), "BUNDLE_GEMFILE" => nil,
          "GIT_DIR" => nil, "GIT_WORK_TREE" => nil, "GIT_INDEX_FILE" => nil }
      end
    end
  end
end
