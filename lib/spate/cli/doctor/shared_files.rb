# frozen_string_literal: true

module Spate
  module CLI
    class Doctor
      # Gems whose files have hard links that this store has no record of: the previous store was deleted, or another
      # store installed the bundle. Editing such a file in place changes all its links unnoticed.
      class SharedFiles
        # record: Spate::Store::BundleRecord or nil.
        def initialize(layout, record)
          @layout = layout
          @record = record
        end

        # A Finding, or nil if no gem shares files. The system's own folders are not checked: other tools may create
        # links there.
        def finding
          return if @layout.system? || (names = shared).empty?

          gems = names.length == 1 ? "1 gem shares" : "#{names.length} gems share"
          Finding.odd("#{gems} files with bundles unknown to this store, so edits there are not detected: " \
                      "#{listed(names)}",
                      hint: "`spate edit GEM` before editing one; or move #{@layout.root} away, then `spate install`")
        end

        private

        def listed(names)
          more = names.length - BundleCheck::SHOWN
          names.first(BundleCheck::SHOWN).join(", ") + (more.positive? ? " and #{more} more" : "")
        end

        def shared
          Dir.children(@layout.gems).sort.reject { |name| @record&.tree("gems/#{name}") }
             .select { |name| shared?("#{@layout.gems}/#{name}") }
        rescue SystemCallError
          []
        end

        def shared?(folder)
          Dir.glob("**/*", File::FNM_DOTMATCH, base: folder).any? do |path|
            stat = ::Spate::Store::Object.lstat("#{folder}/#{path}")
            stat&.file? && stat.nlink > 1
          end
        end
      end
    end
  end
end
