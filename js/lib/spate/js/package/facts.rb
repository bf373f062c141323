# frozen_string_literal: true

module Spate
  module JS
    class Package
      # The fields of a package.json that a restore needs. The file is untrusted: invalid names, and paths outside the
      # package's folder, are dropped as npm and pnpm do. Stored as text with the package's manifest, so that the JSON
      # is parsed only once; see Text.
      #
      # name, version:: from package.json; nil if missing
      # bins:: { name => path, relative to the package's folder }
      # clamped_bins:: bins with paths out of the folder, moved back into it like npm does; pnpm leaves them out
      # folder_bins:: the files of `directories.bin`, which only pnpm uses, and only without `bin`
      # missing:: paths of bins whose files do not exist, which are not linked
      # shebangs:: { path of a bin => its first line }, only of files that begin with "#!"
      # scripts:: { name => text }, only scripts that an install may run
      # engines:: { "node" => range }
      # os, cpu, libc:: [String], empty if not given
      # bundled:: [name] of packages that are in its archive
      # gitignores:: paths of files of that name
      Facts = Struct.new(:name, :version, :bins, :clamped_bins, :folder_bins, :missing, :shebangs, :scripts, :engines,
                         :os, :cpu, :libc, :bundled, :gitignores, keyword_init: true)

      # Reopened as a class body, because Ruby looks up constants lexically.
      class Facts
        %i[Bins Reader].each { |name| autoload name, "spate/js/package/facts/reader" }

        # The scripts that build a package, in their order of execution.
        BUILDS = %w[preinstall install postinstall].freeze
        # The scripts of a project's own package.json, in order.
        OWN = %w[pnpm:devPreinstall preinstall install postinstall prepublish preprepare prepare postprepare
                 predependencies dependencies postdependencies].freeze

        # package_json: the file's text. paths: of all files of the package. The block returns the first line of a file.
        # whose: for messages. Raises PackageFileError.
        def self.read(package_json, paths, whose, &first_line)
          Reader.new(package_json, paths, whose, first_line).call
        end

        # The facts of a folder, such as a project; nil if it has no package.json.
        def self.of_folder(folder)
          file = File.join(folder, "package.json")
          return unless File.file?(file)

          read(File.read(file, encoding: Encoding::UTF_8), Reader::Folder.new(folder), file) do |path|
            File.binread(File.join(folder, path), Reader::FIRST_LINE).to_s.lines.first.to_s
          end
        end

        # Returns a Kept; nil if the text has a different format version.
        def self.parse(text) = (Kept.new(text) if text && Text.whole?(text))

        def initialize(**given)
          super(bins: {}, clamped_bins: {}, folder_bins: {}, missing: [], shebangs: {}, scripts: {}, engines: {},
                os: [], cpu: [], libc: [], bundled: [], gitignores: [], **given)
        end

        # Paths of all files that a bin may run.
        def executables = [*bins.values, *clamped_bins.values, *folder_bins.values].uniq

        # Whether the package has one of the scripts that build dependencies.
        def builds? = BUILDS.any? { |name| scripts.key?(name) }

        def to_s = Text.new(self).to_s

        # Facts that are parsed on demand: a restore has thousands, and most callers only check whether the package has
        # build scripts.
        class Kept
          BUILDING = BUILDS.map { |name| "\nscript\t#{name}\t" }.freeze
          private_constant :BUILDING

          # text: in the current format version.
          def initialize(text)
            @text = text
          end

          Facts.members.each { |name| define_method(name) { facts[name] } }
          def executables = facts.executables
          def builds? = BUILDING.any? { |line| @text.include?(line) }
          def to_s = @text
          # The parsed Facts.
          def facts = @facts ||= Text.parse(@text)
        end

        # Facts as lines of a key and its values, which can be read without JSON.
        #
        #   spate-npm 2
        #   name<TAB>esbuild
        #   bin<TAB>esbuild<TAB>bin/esbuild
        #   script<TAB>postinstall<TAB>node install.js
        class Text
          HEADER = "spate-npm 2"
          PAIRS = { "bin" => :bins, "clamped" => :clamped_bins, "folder" => :folder_bins, "shebang" => :shebangs,
                    "script" => :scripts, "engine" => :engines }.freeze
          LISTS = { "missing" => :missing, "os" => :os, "cpu" => :cpu, "libc" => :libc, "bundled" => :bundled,
                    "gitignore" => :gitignores }.freeze
          SINGLE = { "name" => :name, "version" => :version }.freeze
          ESCAPES = { "\\" => "\\\\", "\t" => "\\t", "\n" => "\\n", "\r" => "\\r" }.freeze
          UNESCAPES = ESCAPES.invert.freeze

          # Whether the text has the current format version.
          def self.whole?(text) = text.start_with?(HEADER) && ["\n", nil].include?(text[HEADER.size])

          def self.parse(text)
            lines = text.split("\n", -1).drop(1)
            lines.each_with_object(Facts.new) { |line, facts| read(facts, line.split("\t", -1)) }
          end

          def self.read(facts, fields)
            key, first, second = fields
            first, second = [first, second].map { |field| unescape(field) }
            if (pair = PAIRS[key]) then facts[pair][first] = second
            elsif (list = LISTS[key]) then facts[list] << first
            elsif (single = SINGLE[key]) then facts[single] = first
            end
          end

          def self.unescape(field) = field&.include?("\\") ? field.gsub(/\\[\\tnr]/, UNESCAPES) : field
          private_class_method :read, :unescape

          def initialize(facts)
            @facts = facts
          end

          def to_s
            lines = SINGLE.filter_map { |key, name| line(key, @facts[name]) if @facts[name] }
            lines += PAIRS.flat_map { |key, name| @facts[name].map { |pair| line(key, *pair) } }
            lines += LISTS.flat_map { |key, name| @facts[name].map { |one| line(key, one) } }
            [HEADER, *lines].join("\n")
          end

          private

          def line(key, *fields) = [key, *fields.map { |field| plain(field).gsub(/[\\\t\n\r]/, ESCAPES) }].join("\t")
          # Replaces invalid bytes, because an archive and its paths may contain any bytes.
          def plain(field) = field.dup.force_encoding(Encoding::UTF_8).scrub
        end
      end
    end
  end
end
