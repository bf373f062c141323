# frozen_string_literal: true

module Spate
  module JS
    module Scripts
      class Build
        # The folder of a package, without other packages in it.
        class Folder
          MODULES = "node_modules"
          # A Snapshot that leaves out one folder's node_modules.
          class Snapshot < ::Spate::Build::Run::Snapshot
            def initialize(folder, leave_out)
              @leave_out = leave_out
              super(folder)
            end

            def add(path) = (super unless path == @leave_out)
          end

          def initialize(job, plan)
            @folder = job.folder
            inner = "#{job.path}/#{MODULES}/"
            @leave_out = ("#{@folder}/#{MODULES}" if plan.trees.any? { |tree| tree.path.start_with?(inner) })
          end

          # Path of its node_modules, where that has other packages.
          attr_reader :leave_out

          def snapshot = Snapshot.new(@folder, @leave_out)

          # Replaces the package's files by copies: those of the store are shared.
          def part(folder = @folder)
            Dir.each_child(folder) do |name|
              path = "#{folder}/#{name}"
              next if path == @leave_out

              stat = File.lstat(path)
              stat.directory? ? part(path) : own(path, stat)
            end
          end

          private

          def own(path, stat)
            return unless stat.file? && (stat.nlink > 1 || stat.mode & 0o200 == 0)

            Util::Files.replace(path) do |fresh|
              Util::Files.copy(path, fresh, mode: (stat.mode & 0o777) | 0o200, time: stat.mtime)
            end
          end
        end
      end
    end
  end
end
