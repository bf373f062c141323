# frozen_string_literal: true

module Spate
  module RemoteCache
    class Pack
      # Where the build of a gem may have files, relative to the bundle's folder.
      #
      # full_name:: of the gem
      # folders:: the gem's folder and that of its extensions, without a slash at the end
      # files:: single files
      Places = Struct.new(:full_name, :folders, :files) do
        # layout: Layout.
        def self.of(layout, full_name)
          new(full_name, ["gems/#{full_name}", "extensions/#{layout.extensions_scope}/#{full_name}"],
              ["build_info/#{full_name}.info"])
        end

        # Places of a gem in a checkout by git. checkout: the name of the checkout's folder.
        def self.checkout(layout, full_name, checkout)
          new(full_name, ["bundler/gems/#{checkout}", "bundler/gems/extensions/#{layout.extensions_scope}/#{checkout}"],
              ["build_info/#{full_name}.info"])
        end

        # Places of a stored build, derived from its paths.
        def self.guess(layout, full_name, paths)
          checkout = paths.filter_map { |path| path[%r{\Abundler/gems/(?!extensions/)([^/]+)/}, 1] }.first
          checkout ? checkout(layout, full_name, checkout) : of(layout, full_name)
        end

        # entries: hashes in the form of a manifest. Raises Refused for a path outside of the places, or a link that
        # leads out of them.
        def check(entries)
          entries.each do |entry|
            path = entry[:path].b
            raise Refused, "#{path.dump} is not a path for a build of #{full_name}" unless place?(path)
            next if entry[:target].nil? || inside?(path, entry[:target])

            raise Refused, "#{path.dump} is a link that leads out of the gem's folders: #{entry[:target].b.dump}"
          end
        end

        # Whether a normalized path is in one of the places. Git's own files are never part of a build.
        def place?(path)
          parts = path.b.split("/", -1)
          return false if parts.intersect?(["", ".", "..", ".git"])

          files.map(&:b).include?(path.b) || folders.any? { |folder| path.b.start_with?("#{folder}/".b) }
        end

        private

        # Resolves the target as text: a folder in the path to it may only be a link if the link is also in the places.
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
