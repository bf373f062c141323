# frozen_string_literal: true

module Spate
  module Gemfile
    # One thing that evaluating a Gemfile read, and what it found there. Paths are relative to the application's folder
    # where they lie in it, so that the same application in another folder finds the same inputs.
    #
    #   file  PATH  SHA-256 of the content, or "-" where there is none
    #   kind  PATH  what `stat` calls it ("file", "directory", ...), or "-"
    #   state PATH  all that `stat`, `lstat` and `realpath` say of it, or "-"
    #   list  PATH  SHA-256 of the sorted names in a folder, or "-"
    #   glob  BASE  SHA-256 of the sorted names, with pattern and flags
    #   env   KEY   SHA-256 of the value, or "-"
    Input = Struct.new(:type, :subject, :found, :pattern, :flags) do
      # Whether it still reads the same. root: the application's folder; digest: String -> hex.
      def current?(root, env, digest)
        Input.read(self, root, env, digest) == found
      end

      def self.read(input, root, env, digest)
        case input.type
        when "env" then (value = env[input.subject]) ? digest.call(value) : "-"
        when "file" then content(File.expand_path(input.subject, root), digest)
        when "kind" then kind(File.expand_path(input.subject, root))
        when "state" then state(File.expand_path(input.subject, root))
        when "list" then list(File.expand_path(input.subject, root), digest)
        when "glob" then glob(input, File.expand_path(input.subject, root), digest)
        end
      end

      def self.content(path, digest)
        digest.call(File.binread(path))
      rescue SystemCallError
        "-"
      end

      def self.kind(path)
        stat = File.stat(path)
        stat.ftype
      rescue SystemCallError
        "-"
      end

      # Of a link and of what it leads to.
      def self.state(path)
        real = File.realpath(path)
        [path, real].map { |place| facts(File.lstat(place)) }.push(real).join(" ")
      rescue SystemCallError
        "-"
      end

      def self.facts(stat)
        [stat.ftype, stat.mode.to_s(8), stat.uid, stat.gid, stat.size, stat.mtime.to_r, stat.ino, stat.nlink].join(" ")
      end

      def self.list(path, digest)
        digest.call(Dir.children(path).sort.join("\n"))
      rescue SystemCallError
        "-"
      end

      def self.glob(input, base, digest)
        digest.call(Dir.glob(input.pattern, input.flags.to_i, base: base).sort.join("\n"))
      end
    end
  end
end
