# frozen_string_literal: true

require "spate/inputs"

module Spate
  module JS
    module Restore
      module Memory
        # The inputs of a plan: a record of inputs (docs/inputs.md), written before the plan is used. It contains the
        # digests of the files as they were read, so that the next restore detects a lockfile that was edited during
        # this one. Paths in the project are relative.
        #
        #   length of the folders<LF>folders and the digest of their names, each followed by a NUL; record
        class Sources
          ROOT = "project"

          # The current time of the clock that sets file times, in ns.
          def self.clock = Process.clock_gettime(Native::FILE_CLOCK, :nanosecond)

          # Returns Sources, or nil if an input changed since it was read. reading: the plan's Reading, made with env.
          # since: .clock before the plan was made.
          def self.of(plan, reading, since, store, env = {})
            folders, files = (plan.inputs | reading.digests.keys).partition { |path| File.directory?(path) }
            return if folders.any? { |path| changed?(path, since) }

            projects = plan.projects.map { |each| File.expand_path(each, plan.root) }
            own, others = folders.partition { |path| projects.include?(path) }
            inputs = files.map { |path| input(path, reading.digests[path]) } + others.map { |path| [:listed, path] } +
                     reading.variables.uniq.map { |name| [:environment, name] }
            in_file(store) do |path|
              roots = { ROOT => plan.root }
              new(plan.root, own, names(own), File.binread(path)) unless Inputs.record(path, inputs, roots, env: env)
            end
          end

          # Parses the result of #to_s. root: the project's folder, which may be another one with the same files.
          def self.parse(text, root)
            size, rest = text.b.split("\n", 2)
            *folders, names = rest.byteslice(0, size.to_i).split("\0")
            new(root, folders.map { |path| File.expand_path(path, root) }, names, rest.byteslice(size.to_i..))
          end

          # A digest of the names in the folders, except the names that a restore creates.
          def self.names(folders)
            Store.sha256(folders.map { |path| (Dir.children(path) - [Places::MODULES]).sort.join("\0") }.join("\0\0"))
          rescue SystemCallError
            "-"
          end

          # Whether the names in a folder may have changed since a time in ns.
          def self.changed?(folder, since)
            Inputs.since?(File.stat(folder).ctime, Time.at(0, since - Native::RACY_NS, :nsec))
          end

          def self.input(path, digest)
            return [:file, path, digest] if digest || (File.file?(path) && File.readable?(path))

            File.exist?(path) ? [:looked, path] : [:absent, path]
          end

          # Yields the path of a temporary file. Returns nil if the store is not writable.
          def self.in_file(store)
            path = store.writable_store&.temporary("sources") or return
            yield path
          rescue SystemCallError
            nil
          ensure
            Util::Files.remove(path) if path
          end
          private_class_method :changed?, :input

          # root: the project's folder. folders: folders in which a restore creates node_modules. names: the digest from
          # .names. record: the bytes of the record.
          def initialize(root, folders, names, record)
            @root = root
            @folders = folders
            @names = names
            @record = record
          end

          # Whether all inputs are unchanged.
          def same?(env = {})
            answer = Inputs.check(@record, roots, env: env)
            @worn = answer == :renew
            !answer.is_a?(Array) && listed?
          end

          # Whether #same? had to compare contents. The record from #renewed avoids that next time.
          def worn? = @worn

          # The same inputs with their current times, or nil if an input has changed.
          def renewed(store, env = {})
            return unless listed?

            Sources.in_file(store) do |path|
              File.binwrite(path, @record)
              answer = Inputs.check(path, roots, env: env, renew_to: path)
              Sources.new(@root, @folders, @names, File.binread(path)) unless answer.is_a?(Array)
            end
          end

          def to_s
            folders = [*@folders.map { |path| inside(path) }, @names].map { |each| "#{each}\0" }.join.b
            "#{folders.bytesize}\n".b << folders << @record
          end

          private

          def roots = { ROOT => @root }
          def inside(path) = path == @root ? "." : path.delete_prefix("#{@root}/")

          # Whether the names in the folders are unchanged. `folders` is usually empty, so that no digest is computed.
          def listed? = @folders.empty? || Sources.names(@folders) == @names
        end
      end
    end
  end
end
