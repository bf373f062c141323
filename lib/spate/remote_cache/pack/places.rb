# frozen_string_literal: true

module Spate
  module RemoteCache
    class Pack
      # Where the build of one gem may have files, relative to the bundle's folder.
      #
      # full_name:: of the gem
      # folders:: its own and that of its extensions, without a slash at the end
      # files:: single ones
      Places = Struct.new(:full_name, :folders, :files) do
        # layout: Layout.
        def self.of(layout, full_name)
          new(full_name, ["gems/#{full_name}", "extensions/#{layout.extensions_scope}/#{full_name}"],
              ["build_info/#{full_name}.info"])
        end

        # The same of a gem in a checkout of git's; checkout: the name of its folder.
        def self.checkout(layout, full_name, checkout)
          new(full_name, ["bundler/gems/#{checkout}", "bundler/gems/extensions/#{layout.extensions_scope}/#{checkout}"],
              ["build_info/#{full_name}.info"])
        end

        # Those of a stored build, by the paths that it has.
        def self.guess(layout, full_name, paths)
          checkout = paths.filter_map { |path| path[%r{\Abundler/gems/(?!extensions/)([^/]+)/}, 1] }.first
          checkout ? checkout(layout, full_name, checkout) : of(layout, full_name)
        end

        # entries: hashes as manifests have them. Raises Refused for a path that is not in its places, or a link that
        # leads out of them.
        def check(entries)
          entries.each do |entry|
            path = entry[:path].b
            raise Refused, "#{path.dump} is not a place for a build of #{full_name}" unless place?(path)
            next if entry[:target].nil? || inside?(path, entry[:target])

            raise Refused, "#{path.dump} is a link that leads elsewhere: #{entry[:target].b.dump}"
          end
        end

        # Whether a path is in one of them, and spelled so. Changes to git's own files are never part of it.
        def place?(path)
          parts = path.b.split("/", -1)
          return false if parts.intersect?(["", ".", "..", ".git"])

          files.map(&:b).include?(path.b) || folders.any? { |folder| path.b.start_with?("#{folder}/".b) }
        end

        private

        # As text: what the way leads over may be a link only if it is in its places, too.
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
