# frozen_string_literal: true

module Spate
  module JS
    class Package
      # The fields of a package.json that a restore needs. The file is untrusted: invalid names, and paths outside the
      # package's folder, are dropped as npm and pnpm do. Stored as text with the package's manifest, so that the JSON
      # is parsed only once; see Text.
      #
      # name, version:: as it calls itself; nil where it has none
      # bins:: { name => path, relative to the package's folder }
      # clamped_bins:: those that climb out of the folder, as npm leads them back into it; pnpm leaves them out
      # folder_bins:: the files of `directories.bin`, which only pnpm takes, and only without `bin`
      # missing:: paths of bins that the package does not have, which are not linked
      # shebangs:: { path of a bin => its first line }, of those that have "#!"
      # scripts:: { name => text }, of those that an install may run
      # engines:: { "node" => range }
      # os, cpu, libc:: [String], empty where it says nothing
      # bundled:: [name] of packages that are in its archive
      # gitignores:: paths of files of that name
      Facts = Struct.new(:name, :version, :bins, :clamped_bins, :folder_bins, :missing, :shebangs, :scripts, :engines,
                         :os, :cpu, :libc, :bundled, :gitignores, keyword_init: true)

      # In the class itself, where its constants are found.
      class Facts
        autoload :Bins, "spate/js/package/facts/bins"
        autoload :Kept, "spate/js/package/facts/kept"
        autoload :Reader, "spate/js/package/facts/reader"
        autoload :Text, "spate/js/package/facts/text"

        # In the order in which they run.
        BUILDS = %w[preinstall install postinstall].freeze
        # The same for a project's own package.json.
        OWN = %w[pnpm:devPreinstall preinstall install postinstall prepublish preprepare prepare postprepare
                 predependencies dependencies postdependencies].freeze

        # package_json: the file's text. paths: of all files of the package. The block answers the first line of one.
        # whose: for messages. Raises PackageFileError.
        def self.read(package_json, paths, whose, &first_line)
          Reader.new(package_json, paths, whose, first_line).call
        end

        # Of a folder, as a project is one; nil where it has no package.json.
        def self.of_folder(folder)
          file = File.join(folder, "package.json")
          return unless File.file?(file)

          read(File.read(file, encoding: Encoding::UTF_8), Reader::Folder.new(folder), file) do |path|
            File.binread(File.join(folder, path), Reader::FIRST_LINE).to_s.lines.first.to_s
          end
        end

        # Kept; nil for a text that is not of this version.
        def self.parse(text) = (Kept.new(text) if text && Text.whole?(text))

        def initialize(**given)
          super(bins: {}, clamped_bins: {}, folder_bins: {}, missing: [], shebangs: {}, scripts: {}, engines: {},
                os: [], cpu: [], libc: [], bundled: [], gitignores: [], **given)
        end

        # Paths of all files that a bin may run.
        def executables = [*bins.values, *clamped_bins.values, *folder_bins.values].uniq

        # Whether one of the scripts runs that dependencies are built with.
        def builds? = BUILDS.any? { |name| scripts.key?(name) }

        def to_s = Text.new(self).to_s
      end
    end
  end
end
