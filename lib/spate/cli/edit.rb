# frozen_string_literal: true

module Spate
  module CLI
    # `spate edit GEM`: files of its own for this bundle, so that any editor may write to them.
    class Edit < Command
      summary "Give this bundle its own copy of a gem's files, to edit them"
      usage "spate edit GEM [options]"
      bundle_options
      common_options
      example "spate edit rack", "then `bundle open rack`"
      note "Installs leave the copy alone while the lockfile names this version; `bundle pristine GEM` ends it.\n" \
           "The path is told on stdout."

      def run
        raise UsageError.new("`spate edit` takes one name", hint: "spate edit GEM") unless operands.length == 1

        place = elsewhere(operands.first) and return tell_place(*place) || 0

        tree = tree(operands.first)
        result = ::Spate::Store::Edits::PrivateCopy.new(context.store).call(record, tree.path)
        result.edits.each { |edit| Edited.new(edit).tell(terminal) }
        tell(result)
        0
      end

      private

      def record
        @record ||= ::Spate::Store::Bundle.load(context.store, context.layout.root) or
          raise UsageError.new("Spate has not installed this bundle, so its files are no links", hint: "spate install")
      end

      # A gem's name, or its full name where the bundle has left-overs of other versions.
      def tree(name)
        trees = record.trees.select { |tree| tree.path.start_with?("gems/") }
        trees.find { |tree| tree.path == "gems/#{name}" } || trees.find { |tree| gem_name(tree) == name } ||
          raise(unknown(name, trees.map { |tree| gem_name(tree) }))
      end

      def gem_name(tree) = File.basename(tree.path).sub(/-\d[^-]*(-.*)?\z/, "")

      def unknown(name, names)
        near = Suggestion.near(name, names)
        UsageError.new("this bundle has no gem #{name.inspect} from the store",
                       hint: near ? "did you mean #{near}?" : "`spate list` shows what it has")
      end

      # Gems of git and of folders are nobody's links.
      def elsewhere(name)
        spec = context.lockfile.specs.find { |found| [found.name, found.full_name].include?(name) }
        case spec&.source&.type
        when :path then [spec, File.expand_path(spec.source.remote, context.location.root), nil]
        when :git
          checkout = Git::Names.checkout(spec.source.uri, spec.source.revision)
          [spec, "#{context.layout.bundler_gems}/#{checkout}", "until the lockfile names another revision"]
        end
      rescue SystemCallError
        nil # no lockfile
      end

      def tell_place(spec, path, limit)
        return json.call(event: :private, path: path, files: 0, bytes: 0) if json?

        kind = spec.source.type == :git ? "a git checkout of this bundle" : "a folder of its own"
        terminal.tell "#{spec.full_name} is in #{kind}: yours to edit#{" #{limit}" if limit}"
        terminal.out.puts path
      end

      def tell(result)
        path = File.join(result.root, result.path)
        return json.call(event: :private, path: path, files: result.files, bytes: result.bytes) if json?

        copied = "#{Units.count(result.files, "file")} copied (#{Units.bytes(result.bytes)})"
        terminal.tell "#{result.files.zero? ? "no file is shared" : copied}: yours to edit"
        terminal.out.puts path
      end
    end
  end
end
