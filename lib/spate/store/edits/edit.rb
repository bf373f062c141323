# frozen_string_literal: true

module Spate
  class Store
    class Edits
      # One file of a bundle that is not as its package has it.
      #
      # kind:: :changed, :missing, or :type: no longer a file, or no longer a link
      # name, path:: the package's full name, and the path in it
      # file:: its absolute path
      # links:: names of the inode; more than one where other bundles, or the store, have it too
      # projects:: how many other bundles have it, and unknown_links: names that no recorded bundle explains
      # owner:: user who owns it and could change it at any time; nil where that is as it should be
      # mode_only:: whether the content is the package's
      # settled:: what an install did about it: :parted, an inode of its own was made of it; :restored; or nil
      # reason:: why it could do nothing
      # entry:: what the manifest says of it
      Edit = Struct.new(:kind, :name, :path, :file, :links, :projects, :unknown_links, :owner, :mode_only, :settled,
                        :reason, :entry, keyword_init: true) do
        def initialize(**facts)
          super(links: 1, projects: 0, unknown_links: 0, mode_only: false, **facts)
        end

        def shared? = links > 1
        # What is reported of it.
        def to_h = super.except(:entry)
      end
    end
  end
end
