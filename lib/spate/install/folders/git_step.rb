# frozen_string_literal: true

module Spate
  module Install
    module Folders
      # Installs the gems of one git repository: creates a checkout like Bundler's, wrappers for executables, and builds
      # extensions in the checkout. Complete checkouts are not changed, since users may work in them.
      class GitStep
        # Parameters of the builder: data of a gemspec, and the package with a digest that identifies its source.
        Buildable = Struct.new(:extensions, :require_paths)
        Identified = Struct.new(:name, :version, :platform, :full_name, :sha256)

        # finished: names of checkouts completed by an earlier install. items: the bundle's other gems, installed.
        # record: Store::BundleRecord of the previous install, or nil. result: Step::Result, to be filled.
        def initialize(context, finished, items, record, result)
          @result = result
          @vendored = VendoredGit.new(context)
          @context = context
          @layout = context.layout
          @finished = finished
          @items = items
          @record = record
          @signers = Hash.new([].freeze) # folder of extensions => signers of the builds in it
        end

        def call(source, packages)
          return in_place(source, packages) if @vendored.folder(source)

          name = Git::Names.checkout(source.uri, source.revision)
          # The lockfile may list the same repository and revision twice, so the checkout may already have been created.
          made = @result.checkouts.include?(name)
          @result.checkouts << name
          keep_distrusted(name, packages) if !made && packages.any? { |each| distrusted.include?(each) }
          anew = packages.any? { |each| @context.options.rebuild?(each) }
          return if !anew && @finished.include?(name) && File.directory?("#{@layout.bundler_gems}/#{name}")

          checkout = Git.checkout(source, store: @context.store, layout: @layout, settings: @context.settings,
                                          vendor: @context.vendor, local: @context.options.local)
          gemspecs = packages.to_h { |package| [package, gemspec(package, checkout)] }
          build_all(gemspecs.select { |_, gemspec| gemspec.native? }, checkout, anew: anew)
          gemspecs.each { |package, gemspec| install(package, gemspec) }
          @result.made += packages.size
        end

        # Stops a running lookup.
        def stop = @lookup&.stop && @context.sources.close

        private

        # Renames the whole checkout, since the build or the user may have changed any file in it.
        def keep_distrusted(name, packages)
          path = "#{@layout.bundler_gems}/#{name}"
          kept = "#{path}.distrusted-#{Time.now.to_i}"
          File.rename(path, kept) if File.exist?(path)
          @finished -= [name]
          arguments = packages.map { |package| "#{@layout.build_info}/#{package.full_name}.info" }
          Store::Sweep.remove(["#{@layout.bundler_extensions}/#{name}", *arguments])
          @context.events.emit(:warning, message: "replacing #{name}: the signer of its build is not trusted here",
                                         hint: "the original is kept at #{kept}")
        end

        def in_place(source, packages)
          sign = @vendored.sign(source)
          return @result.checkouts << sign if @finished.include?(sign)

          @result.for_bundler << source
          @result.made += packages.size
        end

        def gemspec(package, checkout) = checkout.gemspec(package.name) || raise(missing(package, checkout))

        def install(package, gemspec)
          PathStep.new(@context).wrap(gemspec)
          @context.events.emit(:linked, name: package.full_name)
        end

        def missing(package, checkout)
          Specification::PackageMismatchError.new("#{package.full_name}: no gemspec for it in #{checkout.path}",
                                                  hint: "the lockfile's revision has no such gem: run `spate lock`")
        end

        # All gems of a checkout share one folder of extensions, which is marked as complete after the last build. The
        # identity of the checkout is computed before the first build changes the checkout.
        def build_all(gemspecs, checkout, anew:)
          folder = "#{@layout.bundler_extensions}/#{checkout.name}"
          complete = "#{folder}/gem.build_complete"
          return if gemspecs.empty? || (File.file?(complete) && !anew)

          identity = "#{checkout.name} #{Git::Tree.new(checkout.path).identity}"
          gemspecs.each_with_index do |(package, gemspec), index|
            [complete, "#{folder}/gem_make.out"].each do |path|
              File.unlink(path) if File.exist?(path)
            end
            build(package, gemspec, folder, "#{identity} #{gemspec.path.delete_prefix(checkout.path)}",
                  checkout: checkout.path, keep: index.positive?)
          end
        end

        def build(package, gemspec, folder, identity, **more)
          facts = Buildable.new(gemspec.extensions, gemspec.require_paths)
          needed = dependencies.named(package.dependencies)
          identified = Identified.new(package.name, package.version, package.platform, package.full_name,
                                      Store.sha256("git #{identity}"))
          key = keys.of_other(identified, needed)
          state = Extensions::BuildState.new(key, package.full_name, checkout: File.basename(folder),
                                                                     entry: builder.reuse(key))
          stored = state.entry || lookup.await(state)
          signers = keys.signers_of_other(needed)
          sign(folder, stored, signers)
          result = builder.build(package: identified, facts: facts, gem_dir: gemspec.folder, extension_dir: folder,
                                 key: key, spec_path: gemspec.path, again: true,
                                 needed: needed.map(&:full_name), signers: signers, **more)
          sign(folder, result.stored, signers)
          note(state, result)
        end

        # stored: the reused Build::Cache::Entry, or nil if the gem was built now. signers: signers of the builds that
        # were visible to this new build.
        def sign(folder, stored, signers)
          @signers[folder] |= stored ? stored.record.signers : signers
          Extensions::Signers.note(folder, @signers[folder])
        end

        def note(state, result)
          (result.cached? ? @result.reused : @result.built) << result
          @result.shared += 1 if state.shared? && result.cached?
          @result.kept << "#{state.checkout} #{result.stored.key}" if result.stored
        end

        def distrusted = @distrusted ||= Prepare::Distrusted.new(@context)
        def dependencies = @dependencies ||= Dependencies.new(@items)
        def keys = @keys ||= Extensions::Keys.new(@context, builder, dependencies, @record)

        def builder = @builder ||= @context.new_builder
        def lookup = @lookup ||= Extensions::Lookup.of(@context, builder, Thread::Queue.new)
      end
    end
  end
end
