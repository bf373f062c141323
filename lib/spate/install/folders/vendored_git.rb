# frozen_string_literal: true

module Spate
  module Install
    module Folders
      # Git checkouts in vendor/cache. Bundler 2.6 and newer copy them into the bundle. Older versions build and use
      # them in place, so with these versions Bundler finishes the installation.
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

        # A string that identifies a checkout that Bundler has installed for this bundle. It changes if the checkout or
        # the bundle is replaced.
        def sign(source)
          path = folder(source)
          [File.basename(path), *[@layout.root, path].map { |place| Util.stamp(place) }].join(" ")
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
