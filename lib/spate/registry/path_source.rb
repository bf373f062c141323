# frozen_string_literal: true

module Spate
  module Registry
    # The gems of a PATH section: used where they lie, nothing is copied and nothing built. Only their executables get a
    # script in the bundle's bin folder.
    class PathSource
      class Missing < Spate::Error
        EXIT_CODE = 14

        def initialize(path, found)
          super("the path #{path} #{found}", hint: "the Gemfile or gemspec names it as the source of a gem")
        end
      end

      # source: the lockfile's PathSource. root: the folder of the Gemfile. vendor: a Vendor; a copy in vendor/cache,
      # made by `bundle cache --all`, is used instead of the folder.
      def initialize(source, root:, vendor: nil, env: ENV.to_h)
        @source = source
        @root = root
        @vendor = vendor
        @env = env
      end

      # Absolute path of the folder.
      def folder
        @folder ||= begin
          original = File.expand_path(@source.remote, @root)
          cached = @vendor && File.join(@vendor.folder, File.basename(original))
          cached && File.exist?(File.join(cached, ".bundlecache")) ? cached : original
        end
      end

      # Array of Git::Gemspec, one for each package (what answers name, version and platform). A gem without gemspec, as
      # `gem "name", "1.0", path: "folder"` allows, has the executables of its bin folder.
      # Raises Missing, Git::UnusableGemspec.
      def gemspecs(packages)
        raise Missing.new(folder, "does not exist") unless File.exist?(folder)
        raise Missing.new(folder, "is not a folder") unless File.directory?(folder)

        found = Git::Gemspecs.new(folder, glob: @source.glob, env: @env).read
        # Of two gemspecs for one gem Bundler takes the one further up.
        found = found.sort_by { |gemspec| gemspec.path.count("/") }.uniq(&:name)
        packages.map { |package| found.find { |gemspec| gemspec.name == package.name } || assumed(package) }
      end

      private

      def assumed(package)
        executables = Dir.glob("*", base: File.join(folder, "bin"))
        executables.reject! { |name| File.directory?(File.join(folder, "bin", name)) }
        Git::Gemspec.new(path: nil, folder: folder, name: package.name, version: package.version.to_s,
                         platform: package.platform.to_s, require_paths: ["lib"], bindir: "bin",
                         executables: executables.sort, extensions: [], dependencies: [], required_ruby: ">= 0",
                         required_rubygems: ">= 0", post_install_message: nil)
      end
    end
  end
end
