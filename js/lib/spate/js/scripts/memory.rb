# frozen_string_literal: true

module Spate
  module JS
    module Scripts
      # The scripts that have run in a project, for which folder, and with which inputs. A package that was placed again
      # has another package.json.
      class Memory
        KIND = "scripts"
        FORMAT = "spate scripts 2"

        # state:: of the folder and its scripts
        # inputs:: digest of the inputs of the scripts
        # build:: key of the stored build, "" if none is stored
        Ran = Struct.new(:state, :inputs, :build)

        def initialize(store, root)
          @home = store.keeper
          @key = Store.sha256(root)
          @mutex = Mutex.new
        end

        # Ran, nil where this job has not run, or not in this folder.
        def find(job) = before[job.path]&.then { |ran| ran if ran.state == state(job) }

        # Paths of all that have run, installed or not.
        def paths = all.keys

        # { path => key of its stored build }, of those that have one.
        def builds = all.transform_values(&:build).reject { |_, key| key.empty? }

        def note(job, inputs, build) = @mutex.synchronize { after[job.path] = Ran.new(state(job), inputs, build.to_s) }

        # jobs: all that are there; others are forgotten.
        def save(jobs)
          kept = all.slice(*jobs.map(&:path))
          return if kept == before

          @home&.write(KIND, @key, "#{FORMAT}\n#{kept.map { |path, ran| "#{[*ran, path].join("\t")}\n" }.join}")
          @mutex.synchronize { @before = kept.tap { after.clear } }
        end

        private

        def all = @mutex.synchronize { before.merge(after) }
        def after = @after ||= {}

        def before
          @before ||= begin
            text = @home&.read(KIND, @key).to_s
            lines = text.start_with?("#{FORMAT}\n") ? text.lines(chomp: true).drop(1) : []
            lines.map { |line| line.split("\t", 4) }.to_h { |*ran, path| [path, Ran.new(*ran)] }
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
