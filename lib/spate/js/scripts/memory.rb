# frozen_string_literal: true

module Spate
  module JS
    module Scripts
      # Whose scripts have run in a project, and for which folder: one that was placed anew has another package.json.
      class Memory
        KIND = "scripts"
        FORMAT = "spate scripts 1"

        def initialize(store, root)
          @home = store.keeper
          @key = Store.sha256(root)
          @root = root
          @mutex = Mutex.new
        end

        # Whether this job has run, there and so.
        def ran?(job) = before[job.path] == state(job)

        def note(job) = @mutex.synchronize { after[job.path] = state(job) }

        # jobs: all that are there; others are forgotten. nil: nothing is.
        def save(jobs = nil)
          paths = jobs&.to_h { |job| [job.path, true] }
          lines = @mutex.synchronize { before.merge(after) }.select { |path, _| paths.nil? || paths[path] }
          return if lines == before

          @home&.write(KIND, @key, "#{FORMAT}\n#{lines.map { |path, text| "#{text}\t#{path}\n" }.join}")
        end

        private

        def after = @after ||= {}

        def before
          @before ||= begin
            text = @home&.read(KIND, @key).to_s
            lines = text.start_with?("#{FORMAT}\n") ? text.lines(chomp: true).drop(1) : []
            lines.to_h { |line| line.split("\t", 2).reverse }
          end
        end

        def state(job)
          stat = File.lstat("#{job.folder}/package.json")
          Store.sha256([stat.dev, stat.ino, stat.size, stat.mtime.to_r, stat.ctime.to_r, job.key, job.scripts].inspect)
        rescue SystemCallError
          "none"
        end
      end
    end
  end
end
