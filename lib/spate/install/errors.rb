# frozen_string_literal: true

module Spate
  module Install
    # The bundle's or the store's file system takes two names for one.
    class IndistinctError < Store::Error
      HINT = "put the bundle and the store (SPATE_HOME) on a file system that tells names apart: on macOS, a volume " \
             "that was made case-sensitive"

      def self.file(full_name, path)
        new("#{full_name}: #{path}: another of its files has this name, for the file system tells apart neither case " \
            "nor how accents are written", hint: HINT)
      end

      def self.folder(full_names, root)
        new("#{full_names.join(" and ")} are one folder in #{root}: the file system tells no case apart", hint: HINT)
      end
    end

    # A script that spate runs while it works in a folder asked spate to work there.
    class HeldError < Store::Error
      def initialize(path)
        super("#{path} is being worked on by the spate that runs this script, and waits for the script to end",
              hint: "take the command out of the script: packages are there when install and postinstall run")
      end
    end

    # What the core says of an archive, as an error that a user may see.
    class ArchiveError < Error
      EXIT_CODE = 8
      HINTS = {
        checksum: "the file differs from what vouches for it: a damaged download, a changed mirror, or tampering; " \
                  "delete the local copy and install again",
        truncated: "the download or the copy is incomplete; delete it and install again",
        refused: "the archive tries something that no honest gem needs; do not install it",
        limit: "if you trust it: `bundle config set --local spate.max_total MiB` " \
               "(or spate.max_entry, spate.max_entries)",
        corrupt: "the file is not a gem, or it is damaged; delete it and install again"
      }.freeze

      # What a Native::Error means: ArchiveError, ChecksumError, Store::Error or Interrupted. Raises nothing.
      def self.for(error, full_name, archive, store)
        return Interrupted.new("interrupted") if error.status == :cancelled
        return IndistinctError.file(full_name, error.member) if error.errno == Errno::EEXIST::Errno
        return of(full_name, archive, error) unless error.errno.to_i.positive?

        Store::Error.for(error.errno, error.member.to_s.start_with?("/") ? error.member : store.root)
      end

      def self.of(full_name, archive, error)
        member = error.member.to_s.empty? ? "" : " (#{error.member})"
        type = error.status == :checksum ? ChecksumError : self
        type.new("#{full_name}#{member}: #{error.message}; from #{archive.origin}", hint: HINTS[error.status])
      end
    end

    # The archive's bytes are not those that the lockfile, the index or the archive itself promise.
    class ChecksumError < ArchiveError
      EXIT_CODE = 7
    end

    # A gem that a command was to do something with, and that the bundle does not have.
    class UnknownGemError < Error
      EXIT_CODE = 14

      # names: of the bundle's gems.
      def initialize(name, names)
        near = names.find { |other| other.start_with?(name) || name.start_with?("#{other}-") } ||
               Ground::Suggestion.near(name, names.uniq)
        super("the bundle has no gem #{name.inspect}",
              hint: near ? "did you mean #{near}?" : "`spate list` shows what it has")
      end
    end

    # A gem's folder of the application, of the Gemfile's `path:`, is not there.
    class MissingFolderError < Error
      EXIT_CODE = 14

      def initialize(package, folder)
        super("#{package.full_name} should be in #{folder}, which does not exist",
              hint: "put the folder there, or change `path:` in the Gemfile")
      end
    end

    # `--local` was asked for, and the gem is on no local disk.
    class NotLocalError < Error
      EXIT_CODE = 14

      def initialize(package)
        super("#{package.full_name} is neither in the store nor in vendor/cache, and --local forbids to fetch it",
              hint: "install once without --local, or put the archive into vendor/cache")
      end
    end
  end
end
