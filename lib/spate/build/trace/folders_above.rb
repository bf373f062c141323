# frozen_string_literal: true

module Spate
  module Build
    module Trace
      # The folders above a bundle. The project's are elsewhere for another bundle; in those of the machine and of the
      # user's home every bundle finds the same files. All paths are bytes.
      class FoldersAbove
        # Folders of the system, and those below the home where programs of all projects keep their files.
        SYSTEM = %w[/opt /usr/local /var/lib].freeze
        # Where this Ruby is installed: its own gem folder is below one of them.
        RUBY = %w[bindir libdir rubyhdrdir rubylibprefix sitedir vendordir].freeze
        # As many as a record can name.
        MOST = 200

        # root: the bundle's folder. home: the user's, or nil.
        def initialize(root, home)
          @root = root.b
          @home = home&.b
        end

        # The nearest first, "/" last.
        def all
          @all ||= begin
            folders = [@root]
            folders << File.dirname(folders.last) until folders.last == "/"
            folders.drop(1)
          end
        end

        # {"above-1" => the folder that contains the bundle's, ...}, without "/": the names of roots in records.
        def roots
          @roots ||= all.first(MOST).grep_v("/").each_with_index.to_h { |at, index| ["above-#{index + 1}", at] }
        end

        # Those of the roots that belong to the project.
        def own
          @own ||= begin
            own = roots.values.take_while { |folder| shared.none? { |place| "#{place}/".start_with?("#{folder}/") } }
            roots.first(own.size).to_h
          end
        end

        # How records name a folder: its distance from the bundle where it is the project's, else its path, of which the
        # home is abbreviated.
        def name(folder)
          distance = own.values.index(folder)
          distance ? (distance + 1).to_s : abbreviated(folder)
        end

        # The folder that has a name, here. nil where fewer folders are above the bundle.
        def find(name) = name.match?(/\A\d+\z/) ? all[name.to_i - 1] : expanded(name)

        # A path below the home as "~/...", for other users.
        def abbreviated(path) = @home && "#{path}/".start_with?("#{@home}/") ? "~#{path.delete_prefix(@home)}" : path
        def expanded(path) = path.sub(%r{\A~(?=/|\z)}n) { @home.to_s }

        # "../.." for the name "2"; nil for that of a path.
        def distance(name) = name.match?(/\A\d+\z/) ? (["..".b] * name.to_i).join("/") : nil

        private

        def shared
          below_home = Environment::DEFAULTS.values.map { |folder| "#{@home}/#{folder}" } if @home
          [@home, *below_home, *SYSTEM, Ground::Ruby.path, *RUBY.map { |name| Ground::Ruby.config(name) }].compact
        end
      end
    end
  end
end
