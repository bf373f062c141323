# frozen_string_literal: true

module Spate
  module Build
    module Trace
      # The folders above a bundle. Another bundle has other project folders, but finds the same files in the machine's
      # folders and the user's home. All paths are bytes.
      class FoldersAbove
        # System folders. `shared` adds folders below the home that programs share between projects.
        SYSTEM = %w[/opt /usr/local /var/lib].freeze
        # Where this Ruby is installed; its own gem folder is below one of these.
        RUBY = %w[bindir libdir rubyhdrdir rubylibprefix sitedir vendordir].freeze
        # Maximum number of folders in a record.
        MOST = 200

        # root: the bundle's folder. home: the user's home, or nil.
        def initialize(root, home)
          @root = root.b
          @home = home&.b
        end

        # From the nearest folder to "/".
        def all
          @all ||= begin
            folders = [@root]
            folders << File.dirname(folders.last) until folders.last == "/"
            folders.drop(1)
          end
        end

        # {"above-1" => the parent of the bundle's folder, ...}, without "/". The keys are the names of roots in
        # records.
        def roots
          @roots ||= all.first(MOST).grep_v("/").each_with_index.to_h { |at, index| ["above-#{index + 1}", at] }
        end

        # The roots in the project.
        def own
          @own ||= begin
            own = roots.values.take_while { |folder| shared.none? { |place| "#{place}/".start_with?("#{folder}/") } }
            roots.first(own.size).to_h
          end
        end

        # The name of a folder in records: a project folder's distance from the bundle, or the path of any other folder,
        # with the home abbreviated.
        def name(folder)
          distance = own.values.index(folder)
          distance ? (distance + 1).to_s : abbreviated(folder)
        end

        # The folder with that name for this bundle; nil if the bundle has fewer folders above it.
        def find(name) = name.match?(/\A\d+\z/) ? all[name.to_i - 1] : expanded(name)

        # A path below the home as "~/...", so that it is valid for other users.
        def abbreviated(path) = @home && "#{path}/".start_with?("#{@home}/") ? "~#{path.delete_prefix(@home)}" : path
        def expanded(path) = path.sub(%r{\A~(?=/|\z)}n) { @home.to_s }

        # "../.." for the name "2"; nil for a path.
        def distance(name) = name.match?(/\A\d+\z/) ? (["..".b] * name.to_i).join("/") : nil

        private

        def shared
          below_home = Environment::DEFAULTS.values.map { |folder| "#{@home}/#{folder}" } if @home
          [@home, *below_home, *SYSTEM, Util::Ruby.path, *RUBY.map { |name| Util::Ruby.config(name) }].compact
        end
      end
    end
  end
end
