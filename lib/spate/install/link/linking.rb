# frozen_string_literal: true

module Spate
  module Install
    module Link
      # Links packages' files into their places, all in one call of the core. A damaged object fails only the job of its
      # package, which is renewed and linked again.
      class Linking
        # owner:: the caller's object for this job
        # item:: responds to manifest, and to manifest= for #call
        # path:: of the manifest in the store, for #call
        # folder:: the destination
        # link_method:: :hard, :clone or :copy
        Job = Struct.new(:owner, :item, :path, :folder, :link_method) do
          def for_core = [folder, [item.manifest], link_method]
        end

        # root, links: see Native::Store#link. The block raises the error for a job that failed for another reason; its
        # arguments are the job's owner (nil for the links) and the result.
        def initialize(store, root: nil, &refuse)
          @store = store
          @root = root
          @refuse = refuse
        end

        # Returns the owners whose package's files are missing from the store. Yields those whose package is linked
        # again.
        def call(jobs, links: nil)
          stale = try(jobs, links: links)
          return [] if stale.empty?

          renewed = @store.renew(stale.map(&:path).uniq)
          stale.each { |job| job.item.manifest = renewed[job.path] }
          whole, lost = stale.partition { |job| job.item.manifest }
          yield whole.map(&:owner) if block_given?
          (lost + try(whole)).map(&:owner)
        end

        # Returns the jobs that have a damaged object.
        def try(jobs, links: nil)
          return [] if jobs.empty?

          results = @store.native.link(jobs.map(&:for_core), root: @root, links: links)
          [*jobs, nil].zip(results).select { |job, result| stale?(job, result) }.map(&:first)
        end

        private

        # Without links, the pair after the last job is nil, nil.
        def stale?(job, result)
          return false if result.nil? || result.ok?
          raise Interrupted, "interrupted" if result.status == :cancelled

          result.status == :stale || @refuse.call(job&.owner, result)
        end
      end
    end
  end
end
