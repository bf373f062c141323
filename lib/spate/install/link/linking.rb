# frozen_string_literal: true

module Spate
  module Install
    module Link
      # Links the files of packages to their destinations, all in one call of the core. A damaged object fails only the
      # job of its package. The package is then repaired and linked again.
      class Linking
        # owner:: the caller's object for this job
        # item:: an object with the methods manifest and, for #call, manifest=
        # path:: path of the manifest in the store, for #call
        # folder:: destination folder
        # link_method:: :hard, :clone or :copy
        Job = Struct.new(:owner, :item, :path, :folder, :link_method) do
          def for_core = [folder, [item.manifest], link_method]
        end

        # root, links: see Native::Store#link. The block is called for a job that failed for a reason other than a
        # damaged object, and raises the error. Its arguments are the job's owner (nil for the links) and the result.
        def initialize(store, root: nil, &refuse)
          @store = store
          @root = root
          @refuse = refuse
        end

        # Returns the owners of jobs that could not be linked, since files are missing from the store. Yields the owners
        # of jobs that are linked again.
        def call(jobs, links: nil)
          stale = link_once(jobs, links: links)
          return [] if stale.empty?

          renewed = @store.renew(stale.map(&:path).uniq)
          stale.each { |job| job.item.manifest = renewed[job.path] }
          whole, lost = stale.partition { |job| job.item.manifest }
          yield whole.map(&:owner) if block_given?
          (lost + link_once(whole)).map(&:owner)
        end

        # Returns the jobs that have a damaged object.
        def link_once(jobs, links: nil)
          return [] if jobs.empty?

          results = @store.native.link(jobs.map(&:for_core), root: @root, links: links)
          [*jobs, nil].zip(results).select { |job, result| stale?(job, result) }.map(&:first)
        end

        private

        # job and result are nil for the pair after the last job if there are no links.
        def stale?(job, result)
          return false if result.nil? || result.ok?
          raise Interrupted, "interrupted" if result.status == :cancelled

          result.status == :stale || @refuse.call(job&.owner, result)
        end
      end
    end
  end
end
