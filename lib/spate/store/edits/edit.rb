# frozen_string_literal: true

module Spate
  class Store
    class Edits
      # One file of a bundle that is not as its package has it.
      #
      # kind:: :in_place: written through its link, into the store; :replaced: the user's own file, or mode;
      #        :missing; :type: no longer a file, or no longer a link; :healed: see News, a command elsewhere found it
      #        edited in place, and the bundle has the package's file again
      # name, path:: the package's full name, and the path in it
      # project_root:: root of the bundle that keeps the edit; nil where no known bundle holds the file
      # kept_at:: Array of absolute paths that keep it
      # saved_at:: a copy of the edited bytes, for :in_place
      # healed:: roots of the bundles that got the right file back; healed_at: the absolute paths of those files;
      #          unhealed: {absolute path => reason}
      # evidence:: what told where the edit was made, see Evidence; certain: false where nothing did
      # mode_only:: whether the content is the package's, and only the mode another: then there is no copy
      # unknown_links:: names of the edited inode that no recorded bundle explains
      # archive:: SHA-256 of the archive that is needed to heal and is not in the store: fetch it and check again
      Edit = Struct.new(:kind, :name, :path, :project_root, :kept_at, :saved_at, :healed, :healed_at, :unhealed,
                        :evidence, :certain, :mode_only, :unknown_links, :archive, keyword_init: true) do
        def initialize(**facts)
          super(healed: [], healed_at: [], unhealed: {}, kept_at: [], unknown_links: 0, certain: true, mode_only: false,
                **facts)
        end

        def in_place? = kind == :in_place
        def healed? = in_place? && archive.nil? && unhealed.empty?
        def package = name
      end
    end
  end
end
