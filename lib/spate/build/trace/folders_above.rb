# frozen_string_literal: true

module Spate
  module Build
    module Trace
      # The folders above a bundle: folders of the project, which are different for another bundle, and folders of the
      # machine and the user's home, which are the same. All paths are bytes.
      class FoldersAbove
        # Folders of the machine. `shared` adds the user's home and folders of programs below it.
        SYSTEM = %w[/opt /usr/local /var/lib].freeze
        # RbConfig keys of this Ruby's folders. Its gem folder is below one of them.
        RUBY = %w[bindir libdir rubyhdrdir rubylibprefix sitedir vendordir].freeze
        # The maximum number of folders in a record.
        MOST = 200

        # root: the bundle's folder. home: the user's home, or nil.
        def initialize(root, home)
          @root = root.b
          @home = home&.b
        end

        # All folders, from the nearest one to "/".
        def all
          @all ||= begin
            folders = [@root]
            folders << File.dirname(folders.last) until folders.last == "/"
            folders.drop(1)
          end
        end

        # {"above-1" => the parent of the bundle's folder, ...}, without "/". Records refer to the folders by these
        # keys.
        def roots
          @roots ||= all.first(MOST).grep_v("/").each_with_index.to_h { |at, index| ["above-#{index + 1}", at] }
        end

        # The roots that belong to the project.
        def own
          @own ||= begin
            own = roots.values.take_while { |folder| shared.none? { |place| "#{place}/".start_with?("#{folder}/") } }
            roots.first(own.size).to_h
          end
        end

        # The name of a folder in records: the distance of a project folder from the bundle, or the path of another
        # folder ("~" for the home).
        def name(folder)
          distance = own.values.index(folder)
          distance ? (distance + 1).to_s : abbreviated(folder)
        end

        # Returns the folder with that name for this bundle, or nil if the bundle has too few folders above it.
        def find(name) = name.match?(/\A\d+\z/) ? all[name.to_i - 1] : expanded(name)

        # Abbreviates a path below the home to "~/...", so that it is valid for other users.
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
