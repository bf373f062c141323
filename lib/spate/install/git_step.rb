# frozen_string_literal: true

module Spate
  module Install
    # The gems of one git repository: a checkout as Bundler makes it, wrappers for their executables, extensions built
    # in the checkout. What is whole already is left alone: people work in checkouts.
    class GitStep
      # What a build asks for: the plain facts of a gemspec, and the package with what identifies its source.
      Buildable = Struct.new(:extensions, :require_paths)
      Identified = Struct.new(:name, :version, :platform, :full_name, :sha256)

      # Gems of the checkouts that were not there.
      attr_reader :made
      # Build::Results of their extensions.
      attr_reader :built, :reused
      # Sources with a checkout in vendor/cache that Bundler has to finish.
      attr_reader :for_bundler

      # items: the bundle's other gems, which are in place. record: Store::Bundle of the install before, or nil.
      def initialize(context, finished, items, record)
        @made = 0
        @built = []
        @reused = []
        @for_bundler = []
        @vendored = VendoredGit.new(context)
        @context = context
        @layout = context.layout
        @finished = finished
        @items = items
        @record = record
      end

      # finished: names of checkouts that an earlier install completed. Answers this checkout's, nil where Bundler
      # has yet to finish it.
      def call(source, packages)
        name = Git::Names.checkout(source.uri, source.revision)
        return in_place(source, packages) if @vendored.folder(source)

        anew = packages.any? { |package| @context.options.rebuild?(package) }
        return name if !anew && @finished.include?(name) && File.directory?("#{@layout.bundler_gems}/#{name}")

        checkout = Git.checkout(source, store: @context.store, layout: @layout, settings: @context.settings,
                                        vendor: vendor, local: @context.options.local)
        gemspecs = packages.to_h { |package| [package, gemspec(package, checkout)] }
        build_all(gemspecs.select { |_, gemspec| gemspec.native? }, checkout, anew: anew)
        gemspecs.each { |package, gemspec| install(package, gemspec) }
        @made += packages.size
        name
      end

      private

      def in_place(source, packages)
        sign = @vendored.sign(source)
        return sign if @finished.include?(sign)

        @for_bundler << source
        @made += packages.size
        nil
      end

      def gemspec(package, checkout) = checkout.gemspec(package.name) || raise(missing(package, checkout))

      def install(package, gemspec)
        PathStep.new(@context).wrap(gemspec)
        @context.events.emit(:linked, name: package.full_name)
      end

      def missing(package, checkout)
        PackageMismatchError.new("#{package.full_name}: no gemspec for it in #{checkout.path}",
                                 hint: "the lockfile's revision has no such gem; run `spate lock`")
      end

      # All gems of a checkout share one folder of extensions, which counts as complete when the last of them is built.
      # What they are built from is looked at before the first build changes it.
      def build_all(gemspecs, checkout, anew:)
        folder = "#{@layout.bundler_extensions}/#{checkout.name}"
        complete = "#{folder}/gem.build_complete"
        return if gemspecs.empty? || (File.file?(complete) && !anew)

        identity = "#{checkout.name} #{Git::Tree.new(checkout.path).identity}"
        gemspecs.each_with_index do |(package, gemspec), index|
          [complete, "#{folder}/gem_make.out"].each { |path| File.unlink(path) if File.exist?(path) } # the gem's before
          build(package, gemspec, folder, "#{identity} #{gemspec.path.delete_prefix(checkout.path)}",
                checkout: checkout.path, keep: index.positive?)
        end
      end

      def build(package, gemspec, folder, identity, **more)
        facts = Buildable.new(gemspec.extensions, gemspec.require_paths)
        needed = dependencies.named(package.dependencies)
        identified = Identified.new(package.name, package.version, package.platform, package.full_name,
                                    Store.sha256("git #{identity}"))
        result = builder.build(package: identified, facts: facts, gem_dir: gemspec.folder, extension_dir: folder,
                               key: keys.of_other(identified, needed), spec_path: gemspec.path, again: true,
                               needed: needed.map(&:full_name), **more)
        (result.cached? ? @reused : @built) << result
      end

      def dependencies = @dependencies ||= Dependencies.new(@items)
      def keys = @keys ||= BuildKeys.new(@context, builder, dependencies, @record)

      def builder
        @builder ||= Build::Builder.new(store: @context.store, layout: @layout, settings: @context.settings,
                                        events: @context.events, jobs: @context.jobs)
      end

      def vendor = Registry::Vendor.for(settings: @context.settings, root: @context.location.root)
    end
  end
end
