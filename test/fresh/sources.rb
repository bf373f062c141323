# frozen_string_literal: true

require "fileutils"
require "tmpdir"

module Fresh
  # Creates a clean checkout of this project: of HEAD, or of the working tree.
  class Sources
    AUTHOR = %w[GIT_AUTHOR GIT_COMMITTER].flat_map { |who| [["#{who}_NAME", "fresh"], ["#{who}_EMAIL", "fresh"]] }.to_h

    def initialize(root)
      @root = root
    end

    # Checks out HEAD, or the working tree if `tree`, in a folder. In an existing folder, files that git ignores are
    # kept: built extensions, tmp.
    def copy(folder, tree: false)
      commit = tree ? tree_commit : git("rev-parse", "HEAD")
      FileUtils.chown_R(Process.euid, nil, folder) if File.exist?(folder) # --user has changed the owner
      git("init", "-q", folder)
      git("config", "receive.shallowUpdate", "true", folder: folder)
      git("push", "-q", "-f", folder, "#{commit}:refs/fresh/sources")
      git("checkout", "-q", "-f", "--detach", "refs/fresh/sources", folder: folder)
      git("clean", "-fdq", folder: folder)
    end

    private

    # Creates a commit with every file that git does not ignore, on no branch. Returns its ID.
    def tree_commit
      Dir.mktmpdir do |scratch|
        index = { "GIT_INDEX_FILE" => File.join(scratch, "index") }
        git("read-tree", "HEAD", env: index)
        git("add", "-A", env: index)
        git("commit-tree", git("write-tree", env: index), "-p", "HEAD", "-m", "tree", env: AUTHOR)
      end
    end

    # Runs git in a folder, even if it belongs to another user, as the checkout on CI may. Returns the output.
    def git(*words, folder: @root, env: {})
      out = IO.popen([env, "git", "-c", "safe.directory=*", "-C", folder, *words], &:read)
      raise Unable, "git #{words.first} failed" unless $?.success?

      out.chomp
    end
  end
end
