# frozen_string_literal: true

module Spate
  module Install
    module Check
      # Checks whether a package is installed where the application will load it.
      class Presence
        def initialize(context)
          @context = context
        end

        def exist?(package)
          case package.source.type
          when :gem then inventory.installed?(package.full_name)
          when :git then override?(package) || checkout?(package.source)
          when :path then folder?(package.source)
          else true
          end
        end

        # The folder where the gems of a PathSource should be.
        def folder(source) = File.expand_path(source.remote, @context.location.root)

        private

        def inventory = @inventory ||= Prepare::Inventory.new(@context.layout)

        # Whether `bundle config local.NAME` replaces the gem with a repository of the user. Bundler checks that one.
        def override?(package) = !@context.settings["local.#{package.name}"].nil?

        def checkout?(source)
          File.directory?("#{@context.layout.bundler_gems}/#{Git::Names.checkout(source.uri, source.revision)}") ||
            !Folders::VendoredGit.new(@context).folder(source).nil?
        end

        # `bundle cache` also copies folders.
        def folder?(source)
          File.directory?(folder(source)) ||
            File.directory?("#{@context.layout.app_cache}/#{File.basename(source.remote)}")
        end
      end
    end
  end
end
