# frozen_string_literal: true

module Spate
  module Install
    module Folders
      # Git checkouts that lie in vendor/cache. Bundler copies them into the bundle from 2.6 on; before, it uses them,
      # and builds them, where they lie. For those versions Bundler itself finishes what Spate installed.
      class VendoredGit
        def initialize(context)
          @context = context
          @layout = context.layout
        end

        # The folder of a GitSource that is used in place, or nil.
        def folder(source)
          path = "#{@layout.app_cache}/#{Git::Names.checkout(source.uri, source.revision)}"
          path if File.directory?(path) && !copied?
        end

        # Tells a checkout that Bundler finished for this bundle from a copy of it, and from another bundle at its
        # place.
        def sign(source)
          path = folder(source)
          [File.basename(path), *[@layout.root, path].map { |place| Ground.stamp(place) }].join(" ")
        end

        private

        def copied?
          return @copied if defined?(@copied)

          @copied = begin
            File.read("#{@layout.rubygems.bundler_lib}/bundler/source/git.rb").include?("set_cache_path!")
          rescue SystemCallError
            true
          end
        end
      end
    end
  end
end
