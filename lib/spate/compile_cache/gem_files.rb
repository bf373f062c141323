# frozen_string_literal: true

module Spate
  module CompileCache
    # The files in the compile cache of one gem at one path: the Ruby files that a boot may load. The fingerprint is
    # computed from their list, so that it is the same for installs by Spate and Bundler.
    #
    # Files larger than FILE_BYTES are compiled only if a boot has loaded them. In real bundles they make up a third of
    # the source but are rarely loaded (generated parsers for other Ruby versions, tables). Finding the needed files by
    # following `require` and `autoload` is not worth it: it took a fifth of the time that it could save.
    class GemFiles
      FILE_BYTES = 128 << 10
      # If there are more files, only those nearest to the gem's root are included. Generated clients have thousands.
      FILES = 2000
      BYTES = 16 << 20
      # Folders of a Rails engine in addition to lib. `config` contains routes and initializers.
      ENGINE = %w[app config].freeze
      SCRIPTS = %w[exe bin].freeze
      # Folders that are not code of the gem, if its root is a require path.
      ASIDE = %r{\A(?:spec|test|tests|features|examples?|benchmarks?|vendor|ext|tmp|pkg)/}
      # Templates of generators, which are not valid Ruby.
      TEMPLATE = %r{/templates/}

      # path: absolute; bytes: its size; mtime: in nanoseconds.
      Listed = Struct.new(:path, :bytes, :mtime)

      # The gem's folder as on $LOAD_PATH, without a trailing slash.
      attr_reader :dir

      # require_paths: absolute folders; by default the gem's `lib`.
      def initialize(dir, require_paths: ["#{dir}/lib"])
        @dir = dir
        @require_paths = require_paths
      end

      # Paths of the files to compile, sorted.
      def files = listing.map(&:path)

      def empty? = listing.empty?

      # Size of the source in bytes.
      def weight = listing.sum(&:bytes)

      # A digest of the files' paths, sizes and mtimes (32 hex digits).
      def fingerprint
        @fingerprint ||= Native.content_hash(nil, listing.map { |file| file.to_a.join("\t") }.join("\n"))
      end

      private

      def listing = @listing ||= within_limits(candidates)

      def candidates
        found = {}
        (folders.flat_map { |folder| ruby_files(folder) } + scripts).each { |file| found[file.path] ||= file }
        found.values
      end

      def folders
        inside = @require_paths.select { |path| path == dir || path.start_with?("#{dir}/") }
        (inside + ENGINE.map { |name| "#{dir}/#{name}" }).uniq
      end

      def ruby_files(folder)
        Dir.glob("**/*.rb", base: folder).filter_map do |name|
          next if name.match?(TEMPLATE) || (folder == dir && name.match?(ASIDE))

          listed("#{folder}/#{name}")
        end
      end

      # Executables of the gem, which RubyGems' wrappers load.
      def scripts
        SCRIPTS.flat_map do |folder|
          Dir.glob("*", base: "#{dir}/#{folder}").filter_map do |name|
            path = "#{dir}/#{folder}/#{name}"
            listed(path) if File.extname(name).empty? && ruby_script?(path)
          end
        end
      end

      def ruby_script?(path)
        File.file?(path) && File.open(path, "rb") { |file| file.read(80).to_s.match?(/\A#!.*ruby/) }
      rescue SystemCallError
        false
      end

      def listed(path)
        stat = File.stat(path)
        return unless stat.file? && stat.size.between?(1, FILE_BYTES)

        mtime = stat.mtime
        Listed.new(path, stat.size, (mtime.to_i * 1_000_000_000) + mtime.nsec)
      rescue SystemCallError
        nil
      end

      def within_limits(files)
        bytes = 0
        files.sort_by { |file| [file.path.count("/"), file.path] }.first(FILES)
             .take_while { |file| (bytes += file.bytes) <= BYTES }.sort_by(&:path)
      end
    end
  end
end
