# frozen_string_literal: true

module Spate
  module CLI
    # `spate edit GEM`: copies a gem's files for this bundle, so that any editor may write to them.
    class Edit < Command
      # The store has no record of the bundle, so the gems being edited are unknown.
      class NoRecord < ::Spate::Store::Error
        HINT = "set SPATE_HOME to the store with its record; if there is none, run `spate edit GEM` again"

        def initialize(context)
          store = context.temporary? ? "a temporary store" : "the store #{context.store.root}"
          super("#{store} has no record of #{context.layout.root}: the gems being edited there are unknown",
                hint: context.temporary? ? ::Spate::Store::Temporary::HINT : HINT)
        end
      end

      summary "Copy a gem's files for this bundle, to edit them"
      usage "spate edit GEM [options]"
      usage "spate edit --list"
      option :list, "--list", "list the gems being edited, with the number of changed files"
      bundle_options
      common_options
      example "spate edit rack", "print the path of its files"
      example "spate open rack", "the same, then open them in your editor"
      note "Installs do not change the copy while the lockfile names this version; `spate restore GEM` removes it.\n" \
           "Projects that install into the same folder share the copy. `spate check` lists it.\n" \
           "Prints the path of the gem's folder."

      def run
        return list if values[:list]
        raise UsageError.new("`spate edit` takes one gem name", hint: "spate edit GEM") unless operands.length == 1

        place = own_folder(operands.first) and return print_folder(*place) || 0

        result = alone { private_copy(operands.first) }
        Output::EditedFiles.print(result.edits, terminal) unless result.edits.empty?
        print_result(result)
        0
      end

      private

      def makes_store? = !values[:list]

      # Runs the block under the install lock. The block reads and writes the bundle's record, and an install may be
      # running in the same folder.
      def alone(&)
        events = Events.new
        events.subscribe { |event| terminal.warning(event[:message]) }
        root = context.layout.root
        File.directory?(root) ? ::Spate::Install::BundleFolder.lock(root, events, &) : yield
      end

      def private_copy(name)
        path = tree_path(name)
        record = bundle.tree(path) ? bundle : bundle.with(unrecorded(path))
        ::Spate::Store::Edits::PrivateCopy.new(context.store).call(record, path)
      end

      # A new record entry for a gem that another tool installed. Includes its package if the lockfile has the checksum.
      def unrecorded(path)
        sha256 = context.lockfile.digests(File.basename(path))["sha256"] if context.location.lockfile?
        key = install_context.package_key(sha256) if sha256
        ::Spate::Store::BundleRecord::Tree.new(path: path, packages: [*(key if key && context.store.package(key))])
      end

      # The record of the bundle, empty if the store has none. Without a record (the store was deleted, or another store
      # was used), the files may still be links.
      def bundle
        @bundle ||= recorded ||
                    ::Spate::Store::BundleRecord.new(root: context.layout.root, app: context.location.root, trees: [])
      end

      def recorded
        packages = lockfile_specs.to_h { |spec| [spec.full_name, context.lockfile.digests(spec.full_name)["sha256"]] }
        ::Spate::Store::BundleRecord.find(context.store, context.layout.root, packages)
      end

      # Lists all gems being edited in the folder, including gems of other projects and older lockfiles.
      def list
        raise UsageError.new("`spate edit --list` takes no gem name", hint: "spate edit --list") if operands.any?

        refuse_unknown
        found = ::Spate::Install::Check::OwnCopies.new(install_context, recorded).find
        json? ? found.each { |copy| json.call(event: :editing, **copy.to_h) } : table(found)
        0
      end

      # Raises NoRecord if the record is missing. A record that is reconstructed from the gems' files would not contain
      # which of them are being edited.
      def refuse_unknown
        return unless File.directory?(context.layout.gems)

        raise NoRecord, context unless ::Spate::Store::BundleRecord.load(context.store, context.layout.root)
      end

      def install_context
        ::Spate::Install::Context.new(location: context.location, settings: context.settings, store: context.store)
      end

      def table(found)
        return terminal.info("no gem is being edited") if found.empty?

        rows = found.map { |copy| [copy.name, Output::EditedGem.new(copy).changes, copy.path] }
        widths = rows.transpose.map { |column| column.map(&:length).max }
        rows.each do |row|
          line = row.zip(widths).map { |text, width| text.ljust(width) }.join("  ").rstrip
          terminal.out.puts Util::Terminal.plain(line)
        end
      end

      # name: a gem's name or full name. For a name, uses the version in the lockfile, if any.
      def tree_path(name)
        paths = bundle.trees.map(&:path).grep(%r{\Agems/})
        wanted = [name, *lockfile_specs.select { |spec| spec.name == name }.map(&:full_name)]
        paths.find { |path| wanted.include?(File.basename(path)) } || installed(name) ||
          paths.find { |path| gem_name(path) == name } ||
          raise(unknown(name, paths.map { |path| gem_name(path) } + lockfile_specs.map(&:name)))
      end

      # Returns the error for an unknown gem. Without a lockfile, raises the error of reading the lockfile.
      def unknown(name, names)
        context.lockfile if names.empty?
        ::Spate::Install::UnknownGemError.new(name, names)
      end

      def gem_name(path) = File.basename(path).sub(/-\d[^-]*(-.*)?\z/, "")

      # The path of an installed gem that is in the lockfile but not in the record.
      def installed(name)
        specs = lockfile_specs.select { |spec| [spec.name, spec.full_name].include?(name) }
        found = specs.find { |spec| File.directory?("#{context.layout.gems}/#{spec.full_name}") }
        return "gems/#{found.full_name}" if found
        return if specs.empty?

        raise UsageError.new("#{specs.first.full_name} is not installed in #{context.layout.root}",
                             hint: "spate install")
      end

      def lockfile_specs = context.location.lockfile? ? context.lockfile.specs : []

      # Returns [spec, path, limit] of a gem from a path or git source, whose files are not linked from the store, or
      # nil.
      def own_folder(name)
        spec = lockfile_specs.find { |found| [found.name, found.full_name].include?(name) }
        case spec&.source&.type
        when :path then [spec, File.expand_path(spec.source.remote, context.location.root), nil]
        when :git
          checkout = Git::Names.checkout(spec.source.uri, spec.source.revision)
          [spec, "#{context.layout.bundler_gems}/#{checkout}", "until the lockfile names another revision"]
        end
      end

      def print_folder(spec, path, limit)
        return json.call(event: :private, path: path, files: 0, bytes: 0) if json?

        kind = spec.source.type == :git ? "a git checkout of this bundle" : "its own folder"
        terminal.info "#{spec.full_name} is in #{kind}: you can edit it#{" #{limit}" if limit}"
        terminal.out.puts path unless values[:quiet_path]
      end

      def print_result(result)
        path = File.join(result.root, result.path)
        return json.call(event: :private, path: path, files: result.files, bytes: result.bytes) if json?

        copied = "#{Units.count(result.files, "file")} copied (#{Units.bytes(result.bytes)})"
        terminal.info "#{result.files.zero? ? "no file is shared" : copied}: you can edit them"
        terminal.out.puts path unless values[:quiet_path]
      end
    end
  end
end
