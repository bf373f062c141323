# frozen_string_literal: true

module Spate
  module CLI
    class Doctor
      # Checks the bundle of the current directory.
      class BundleCheck
        SHOWN = 10

        def initialize(context)
          @context = context
        end

        def each(&block)
          location = location() or return yield(Finding.ok("no Gemfile here"))

          yield Finding.ok("#{location.gemfile}, gems in #{@context.layout.root}")
          settings(&block)
          other_rubies(&block)
          record(&block)
          shared(&block)
          contents(&block)
        end

        private

        def location
          @context.location
        rescue Gemfile::NotFound => e
          raise if e.hint == Gemfile::NotFound::NAMED
        end

        def settings
          left = @context.settings.unsupported
          return yield(Finding.ok("all settings of Bundler are supported")) if left.empty?

          left.each do |setting|
            yield Finding.odd("Spate runs Bundler because of the setting #{setting.name}: #{setting.reason}",
                              hint: "bundle config unset #{setting.name}")
          end
        end

        # Finds folders of other Rubies, such as vendor/bundle/ruby/3.0.0 beside 3.1.0. No command of this Ruby lists or
        # removes their gems.
        def other_rubies
          layout = @context.layout
          return if layout.system?

          others = Dir.glob("../../*/*", base: layout.root).map { |path| File.expand_path(path, layout.root) }
          others = others.select { |path| File.directory?(File.join(path, "specifications")) } - [layout.root]
          others.each do |path|
            yield Finding.odd("#{path} was installed by another Ruby", hint: "remove it if that Ruby is no longer used")
          end
        end

        def record
          @record = ::Spate::Store::BundleRecord.find(@context.store, @context.layout.root, folders)
          return yield(Finding.ok("the store has no record of this bundle")) unless @record

          gone = @record.trees.reject { |tree| File.directory?(@record.destination(tree)) }
          trees = Units.count(@record.trees.length, "folder")
          return yield(Finding.ok("the store's record of #{trees} is up to date")) if gone.empty?

          # Missing gems that the bundle needs are reported separately.
          yield Finding.ok("the store's record has #{trees}; another tool or user removed #{gone.length}")
        end

        def folders
          Dir.children(@context.layout.gems)
        rescue SystemCallError
          []
        end

        def shared
          finding = SharedFiles.new(@context.layout, @record).finding
          yield finding if finding
        end

        def contents(&block)
          result = check
          return yield(broken(result.difference)) if result.difference

          result.missing.first(SHOWN).each { |full_name| yield missing(full_name) }
          more(result.missing.length - SHOWN, &block)
          result.distrusted.each { |name| yield incomplete("#{name}: the signer of its build is not trusted here") }
          Output::EditedFiles.group(result.edits).each { |edited| yield Finding.odd(edited.message, hint: edited.hint) }
          result.own_copies.each { |copy| yield Finding.ok(Output::EditedGem.new(copy).message) }
          return yield(files_missing(result.edits)) if result.edits.any? { |edit| edit.kind == :missing }

          yield Finding.ok(in_place(result.total)) if result.ok?
        end

        def files_missing(edits)
          count = edits.count { |edit| edit.kind == :missing }
          incomplete("#{Units.count(count, "file")} of its gems #{count == 1 ? "is" : "are"} missing")
        end

        def in_place(count) = count == 1 ? "its 1 gem is installed" : "all of its #{count} gems are installed"

        def check
          ::Spate::Install::Check::Checker.new(location: @context.location, settings: @context.settings,
                                               store: @context.store).run
        end

        def broken(difference)
          Finding.broken("Gemfile and lockfile disagree: #{difference}", hint: "spate install",
                                                                         exit_code: Check::Disagreement::EXIT_CODE)
        end

        def missing(full_name)
          layout = @context.layout
          specification = [nil, Util::Ruby.abi].any? do |folder|
            File.exist?(File.join(layout.specifications, *folder, "#{full_name}.gemspec"))
          end
          folder = File.directory?(File.join(layout.gems, full_name))
          return incomplete("#{full_name} is not installed") unless specification
          return incomplete("#{full_name}: its folder is missing") unless folder

          incomplete("#{full_name}: its extension was not built completely (no gem.build_complete)")
        end

        def more(count)
          yield incomplete("#{count} more gems are not installed") if count.positive?
        end

        def incomplete(text) = Finding.broken(text, hint: "spate install", exit_code: Check::INCOMPLETE)
      end

      # Finds gems whose files have hard links that are not in this store's records, because the previous store was
      # deleted or another store installed the bundle. Editing such a file in place changes all its links.
      class SharedFiles
        # record: Spate::Store::BundleRecord or nil.
        def initialize(layout, record)
          @layout = layout
          @record = record
        end

        # Returns a Finding, or nil if no gem shares files. Does not check the system's gem folder, where other tools
        # may create links.
        def finding
          return if @layout.system? || (names = shared).empty?

          gems = names.length == 1 ? "1 gem shares" : "#{names.length} gems share"
          Finding.odd("#{gems} files with bundles unknown to this store, so edits there are not detected: " \
                      "#{listed(names)}",
                      hint: "run `spate edit GEM` before you edit a gem, or move #{@layout.root} away and run " \
                            "`spate install`")
        end

        private

        def listed(names)
          more = names.length - BundleCheck::SHOWN
          names.first(BundleCheck::SHOWN).join(", ") + (more.positive? ? " and #{more} more" : "")
        end

        def shared
          Dir.children(@layout.gems).sort.reject { |name| @record&.tree("gems/#{name}") }
             .select { |name| shared?("#{@layout.gems}/#{name}") }
        rescue SystemCallError
          []
        end

        def shared?(folder)
          Dir.glob("**/*", File::FNM_DOTMATCH, base: folder).any? do |path|
            stat = ::Spate::Store::Object.lstat("#{folder}/#{path}")
            stat&.file? && stat.nlink > 1
          end
        end
      end
    end
  end
end
