# frozen_string_literal: true

module Spate
  class Store
    class Edits
      # A file of a bundle that differs from its package.
      #
      # kind:: :changed, :missing, or :type: no longer a file, or no longer a link
      # name, path:: the package's full name, and the path in it
      # file:: its absolute path
      # links:: number of names of the inode; more than one if other bundles, or the store, share it
      # projects:: number of other bundles that share it, and unknown_links: names found in no recorded bundle
      # owner:: user who owns it and could change it at any time; nil for an expected owner
      # mode_only:: whether only the mode differs
      # settled:: action of an install: :parted (given a separate inode), :restored, or nil
      # reason:: why nothing was done
      # entry:: its entry in the manifest
      Edit = Struct.new(:kind, :name, :path, :file, :links, :projects, :unknown_links, :owner, :mode_only, :settled,
                        :reason, :entry, keyword_init: true) do
        def initialize(**facts)
          super(links: 1, projects: 0, unknown_links: 0, mode_only: false, **facts)
        end

        def shared? = links > 1
        # The reported facts.
        def to_h = super.except(:entry)
      end
    end
  end
end
