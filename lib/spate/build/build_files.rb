# frozen_string_literal: true

module Spate
  module Build
    # The files that decide about a gem's build: all in the folders of its extensions, and what Ruby files among them
    # load, of the gem itself and of gems it depends on. Where the name of what is loaded is computed, every Ruby file
    # of that gem counts.
    class BuildFiles
      RUBY = %r{(?:\.rb|\.rake|(?:\A|/)Rakefile)\z}
      # With the name where it is a literal and all that is said.
      LOAD = /
        \b(?:require(_relative)?|load|autoload\b[^,\n]{0,200},)[\s(]*
        (?:(["'])((?:(?!\2|\#\{).)+)\2\s*(?![+%.\s]*\w*["'(]))?
      /x
      COMMENT = /^\s*#.*/

      # files: of the gem. folders: of its extensions. others: Files of the gems it depends on.
      def initialize(files, folders, others)
        @files = files
        @folders = folders
        @others = others
      end

      # Yields [path, bytes].
      def each
        waiting = within.map { |path| [@files, path] }
        seen = {}.compare_by_identity
        while (gem, path = waiting.shift)
          next if (seen[gem] ||= {})[path]

          seen[gem][path] = true
          text = gem.read(path) or next
          yield path, text
          waiting.concat(loaded(gem, path, text)) if RUBY.match?(path)
        end
      end

      private

      def within
        @files.paths.select do |path|
          Cargo::CONFIG.match?(path) || @folders.any? { |folder| folder == "." || path.start_with?("#{folder}/") }
        end
      end

      def loaded(gem, path, text)
        text.gsub(COMMENT, "").scan(LOAD).flat_map do |relative, _, name|
          next gem.paths.grep(RUBY).map { |other| [gem, other] } unless name

          beside = Files.expand(with_suffix(name), File.dirname(path))
          next beside ? [[gem, beside]] : [] if relative || name.start_with?(".")

          [gem, @files, *@others].uniq.flat_map { |each| named(each, with_suffix(name)).map { |found| [each, found] } }
        end
      end

      # Whatever the load path is: every file that ends so.
      def named(gem, name)
        ((@names ||= {}.compare_by_identity)[gem] ||= gem.paths.group_by { |path| File.basename(path) })
          .fetch(File.basename(name), []).select { |path| path == name || path.end_with?("/#{name}") }
      end

      def with_suffix(name) = RUBY.match?(name) ? name : "#{name}.rb"
    end
  end
end
