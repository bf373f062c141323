# frozen_string_literal: true

module Spate
  module JS
    class Project
      # Whether a folder above the user's may be read. A folder such as /tmp has files of other users, and a project's
      # files can run programs, so another user's files are not even read.
      class Trust
        OTHERS_WRITE = 0o002
        # Files that mark a project.
        NAMES = [PACKAGE, *Workspace::PNPM, *Lockfiles::TOOLS.keys, Lockfiles::DENO].uniq.freeze

        # folder: the user's, absolute. Its owner is trusted, too: root works in others' folders.
        def initialize(folder)
          @folder = folder
          stat = File.stat(folder)
          @owners = [Process.euid, 0, stat.uid]
          # File systems without permissions report that everything is writable by others.
          @writable = stat.mode & OTHERS_WRITE
        end

        # The first file of a project in a folder that other users could have written, or nil.
        def culprit(folder)
          return if folder == @folder

          found = NAMES.map { |name| File.join(folder, name) }.select { |path| File.exist?(path) }
          foreign?(folder) ? found.first : found.find { |path| foreign?(path) }
        end

        private

        # Checks the owner of a link and of its target.
        def foreign?(path)
          stat = File.stat(path)
          !@owners.include?(stat.uid) || !@owners.include?(File.lstat(path).uid) ||
            stat.mode & OTHERS_WRITE > @writable
        end
      end
    end
  end
end
