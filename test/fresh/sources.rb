# frozen_string_literal: true

require "fileutils"
require "tmpdir"

module Fresh
  # This project as tracked by git: a clean clone of HEAD, or of the working tree.
  class Sources
    AUTHOR = %w[GIT_AUTHOR GIT_COMMITTER].flat_map { |who| [["#{who}_NAME", "fresh"], ["#{who}_EMAIL", "fresh"]] }.to_h

    def initialize(root)
      @root = root
    end

    # Files that git ignores stay in an existing folder: built extensions, tmp.
    def copy(folder, tree: false)
      commit = tree ? tree_commit : git("rev-parse", "HEAD")
      FileUtils.chown_R(Process.euid, nil, folder) if File.exist?(folder) # --user gave it away
      git("init", "-q", folder)
      git("config", "receive.shallowUpdate", "true", folder: folder)
      git("push", "-q", "-f", folder, "#{commit}:refs/fresh/sources")
      git("checkout", "-q", "-f", "--detach", "refs/fresh/sources", folder: folder)
      git("clean", "-fdq", folder: folder)
    end

    private

    # A commit of every file that git does not ignore, on no branch.
    def tree_commit
      Dir.mktmpdir do |scratch|
        index = { "GIT_INDEX_FILE" => File.join(scratch, "index") }
        git("read-tree", "HEAD", env: index)
        git("add", "-A", env: index)
        git("commit-tree", git("write-tree", env: index), "-p", "HEAD", "-m", "tree", env: AUTHOR)
      end
    end

    # The checkout may belong to another user, as on a CI system.
    def git(*words, folder: @root, env: {})
      out = IO.popen([env, "git", "-c", "safe.directory=*", "-C", folder, *words], &:read)
      raise Unable, "git #{words.first} failed" unless $?.success?

      out.chomp
    end
  end
end
