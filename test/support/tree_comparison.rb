# frozen_string_literal: true

require "digest"
require "find"

module Spate
  # Compares two folders path by path: type, mode, content, target of a link. Ignores times and link counts.
  class TreeComparison
    # { path => "d0755", "f0644 <sha256>" or "l <target>" }.
    def self.snapshot(root, &ignore)
      entries = {}
      Find.find(root) do |path|
        relative = path.delete_prefix(root).delete_prefix("/")
        next if relative.empty?

        Find.prune if ignore&.call(relative)
        entries[relative] = describe(path)
      end
      entries
    end

    def self.describe(path)
      stat = File.lstat(path)
      mode = format("%04o", stat.mode & 0o7777)
      return "l #{File.readlink(path)}" if stat.symlink?

      stat.directory? ? "d#{mode}" : "f#{mode} #{Digest::SHA256.file(path).hexdigest}"
    end

    # The differences as lines, sorted by path. allowed: paths whose content may differ, but which must exist with the
    # same mode.
    def self.differences(expected, found, allowed: [])
      (expected.keys | found.keys).sort.filter_map do |path|
        wanted = expected[path]
        got = found[path]
        next if wanted == got
        next if allowed.include?(path) && wanted && got && wanted[/\A\S+/] == got[/\A\S+/]

        "#{path}: expected #{wanted || "nothing"}, found #{got || "nothing"}"
      end
    end

    # Paths that differ between two runs of the same tool. No other tool has to match them.
    def self.unstable(first, second)
      (first.keys | second.keys).reject { |path| first[path] == second[path] }
    end
  end
end
