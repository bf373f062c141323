# frozen_string_literal: true

module Spate
  module RemoteCache
    class Pack
      # The paths at which the build of a gem may have files, relative to the bundle's folder.
      #
      # full_name:: full name of the gem
      # folders:: folders of the gem and its extensions, without a trailing slash
      # files:: paths of single files
      Places = Struct.new(:full_name, :folders, :files) do
        # layout: Layout.
        def self.of(layout, full_name)
          new(full_name, ["gems/#{full_name}", "extensions/#{layout.extensions_scope}/#{full_name}"],
              ["build_info/#{full_name}.info"])
        end

        # The Places of a gem in a git checkout. checkout: the folder name of the checkout.
        def self.checkout(layout, full_name, checkout)
          new(full_name, ["bundler/gems/#{checkout}", "bundler/gems/extensions/#{layout.extensions_scope}/#{checkout}"],
              ["build_info/#{full_name}.info"])
        end

        # The Places of a stored build, derived from its paths.
        def self.guess(layout, full_name, paths)
          checkout = paths.filter_map { |path| path[%r{\Abundler/gems/(?!extensions/)([^/]+)/}, 1] }.first
          checkout ? checkout(layout, full_name, checkout) : of(layout, full_name)
        end

        # entries: manifest entries. Raises Refused if a path is outside of the allowed places, or if a link points out
        # of them.
        def check(entries)
          entries.each do |entry|
            path = entry[:path].b
            raise Refused, "#{path.dump} is not a path for a build of #{full_name}" unless place?(path)
            next if entry[:target].nil? || inside?(path, entry[:target])

            raise Refused, "#{path.dump} is a link that leads out of the gem's folders: #{entry[:target].b.dump}"
          end
        end

        # Whether a normalized path is in one of the places. Files in .git are never part of a build.
        def place?(path)
          parts = path.b.split("/", -1)
          return false if parts.intersect?(["", ".", "..", ".git"])

          files.map(&:b).include?(path.b) || folders.any? { |folder| path.b.start_with?("#{folder}/".b) }
        end

        private

        # Whether a link's target is in the places. Resolves the target as text, without reading the file system. This
        # is safe, because a folder in the target's path that is a link must itself be in the places.
        def inside?(path, target)
          return false if target.start_with?("/")

          parts = target.b.split("/").reduce(File.dirname(path).split("/")) do |at, part|
            case part
            when "", "." then at
            when ".." then at.empty? ? (return false) : at[0...-1]
            else at + [part]
            end
          end
          led = parts.join("/")
          folders.map(&:b).include?(led) || place?(led)
        end
      end
    end
  end
end
