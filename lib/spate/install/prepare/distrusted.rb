# frozen_string_literal: true

module Spate
  module Install
    module Prepare
      # Gems of a bundle whose builds somebody has signed whom it does not trust, or that saw such builds: it trusted
      # them before, or another project with the same folder does. What lies there is not in place.
      class Distrusted
        # The name of a build tells whether it has signers at all: a bundle without such reads nothing.
        SIGNED = /-\h{16}-\h{16}\z/

        # record: Store::BundleRecord, or nil.
        def initialize(context, record)
          @context = context
          @record = record
        end

        def include?(full_name) = names.include?(full_name)

        # Full names.
        def names
          @names ||= signed.reject { |build| build.record.signers.all? { |signer| @context.trust.doubt(*signer).nil? } }
                           .map { |build| build.record.full_name }
        end

        private

        def signed
          return [] unless @record

          checkouts = Commit::Notes.parse(@record.notes).built.map { |line| line[/\S+\z/] }
          (@record.builds + checkouts).grep(SIGNED).filter_map do |key|
            @context.store.shelves.lazy.filter_map { |store| Build::Cache::Entry.find(store, key) }.first
          end
        end
      end
    end
  end
end
