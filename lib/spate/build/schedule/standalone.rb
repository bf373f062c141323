# frozen_string_literal: true

module Spate
  module Build
    class Schedule
      # The files of a package in the store, read to find out how it is built.
      class PackageFiles
        # Larger files are data, not build files (bytes).
        LARGEST = 1 << 20

        # manifest: Native::Manifest; nil if the package is missing.
        def initialize(store, manifest)
          @store = store
          @manifest = manifest
        end

        def paths = @paths ||= (@manifest&.paths || [])
        def size(path) = entry(path)[:size]

        # Returns the file's content as bytes, or nil if the path is not a file or the file is too large.
        def read(path)
          entry = entry(path)
          return unless entry && entry[:type] == :file && entry[:size] <= LARGEST

          File.binread(@store.native.object_path(entry[:sha256], entry[:mode]))
        rescue SystemCallError
          nil
        end

        private

        def entry(path)
          @indexes ||= paths.each_with_index.to_h
          @indexes[path]&.then { |index| @manifest.entry(index) }
        end
      end

      # Determines whether the build of a gem loads none of its dependencies, so that it need not wait for them. Reads
      # the extconf.rb files and the gem's files that these require. They may require only libraries of Ruby, by literal
      # names, and must not contain other ways to load code. In doubt, a build is not standalone. If a build was wrongly
      # classified as standalone, it fails and is repeated after its dependencies are installed.
      class Standalone
        # Libraries of Ruby that an extconf.rb may require. A dependency of the same name takes precedence.
        LIBRARIES = %w[
          English date delegate digest erb etc fileutils find io/console json mkmf monitor open3 optparse pathname pp
          rbconfig securerandom set shellwords stringio strscan tempfile time timeout tmpdir
          tsort uri yaml zlib
        ].freeze
        EXTCONF = /\A[^-]*extconf[^-]*\.rb\z/
        REQUIRE = /\brequire(_relative)?\b/
        LITERAL = %r{\G\s*\(?\s*(["'])([\w./-]+)\1\s*\)?\s*(?:;|#|$|(?:if|unless|and|or|rescue)\b|&&|\|\|)}
        # Other ways to load code or files of other gems. Includes all uses of Gem except comparisons of versions and
        # platforms.
        WAYS = /
          \b(?:load|autoload|gem|eval|instance_eval|class_eval|module_eval|const_get|Bundler|GEM_HOME|GEM_PATH)\b |
          \bGem(?!::(?:Version|Requirement|Platform)\b|\.(?:win_platform\?|ruby_version|java_platform\?)) |
          \$LOAD_PATH | \$: | \$-I | \bRbConfig\.ruby\b | \brake\b | \bracc\b | -S\b
        /x
        # Makefile rules that run Ruby or programs of gems.
        RULES = /^\t.*(?:\$[({]\w*RUBY\w*[)}]|\b(?:ruby|rake|racc|bundle)\b)/
        MAKEFILE = /\A(?:depend|Makefile\.in|.+\.mk)\z/
        COMMENT = /^\s*#.*/
        # A placeholder for the gem's folder, used to detect paths outside of it.
        TOP = "/of/gem/"

        # files: PackageFiles of the gem. extensions: `facts.extensions`. dependencies: names of gems.
        def initialize(files, extensions, dependencies)
          @files = files
          @extensions = extensions
          @dependencies = dependencies.map { |name| feature_of(name) }
          @seen = {}
        end

        def standalone?
          @extensions.all? do |path|
            EXTCONF.match?(File.basename(path)) && plain?(path) && rules?(File.dirname(path))
          end
        end

        private

        def plain?(path)
          return true if @seen[path]

          @seen[path] = true
          text = read(path) or return false
          !WAYS.match?(text) && required(text).all? { |relative, name| name && known?(path, relative, name) }
        end

        # [[whether relative to the file, name or nil if it is not a literal], ...]
        def required(text)
          found = []
          position = 0
          while (match = REQUIRE.match(text, position))
            position = match.end(0)
            found << [!match[1].nil?, LITERAL.match(text, position)&.[](2)]
          end
          found
        end

        def known?(path, relative, name)
          return own?(File.expand_path(name, "#{TOP}#{File.dirname(path)}")) if relative

          library = name.delete_suffix(".rb")
          (LIBRARIES.include?(library) || LIBRARIES.include?(library[/\A\w+/])) && !depended?(library)
        end

        # Whether the path is a file of the gem that passes the same checks.
        def own?(path) = path.start_with?(TOP) && plain?("#{path.delete_prefix(TOP).delete_suffix(".rb")}.rb")

        def depended?(library) = @dependencies.any? { |name| library == name || library.start_with?("#{name}/") }

        def feature_of(name) = name.tr("-", "/")

        def rules?(folder)
          makefiles.none? { |path| File.dirname(path) == folder && RULES.match?(read(path).to_s) }
        end

        def makefiles = @files.paths.select { |path| MAKEFILE.match?(File.basename(path)) }

        def read(path) = @files.read(path)&.gsub(COMMENT, "")
      end
    end
  end
end
