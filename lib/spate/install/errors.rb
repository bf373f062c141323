# frozen_string_literal: true

module Spate
  module Install
    # The file system of the bundle or store treats two different names as the same.
    class IndistinctError < Store::Error
      HINT = "put the bundle and the store (SPATE_HOME) on a case-sensitive file system: on macOS, a volume " \
             "formatted as case-sensitive"

      def self.file(full_name, path)
        new("#{full_name}: #{path}: another file of the gem has the same name on this file system, which ignores " \
            "case or Unicode normalization", hint: HINT)
      end

      def self.folder(full_names, root)
        new("#{full_names.join(" and ")} would be the same folder in #{root}: the file system ignores case", hint: HINT)
      end
    end

    # A script that Spate runs while it holds a lock on a folder has started Spate for the same folder.
    class HeldError < Store::Error
      def initialize(path)
        super("#{path} is locked by the spate process that runs this script and waits for it",
              hint: "remove the command from the script: packages are installed before install and postinstall run")
      end
    end

    # An error of the core about an archive, with a message for the user.
    class ArchiveError < Error
      EXIT_CODE = 8
      HINTS = {
        checksum: "the file does not match its checksum: a damaged download, a changed mirror, or tampering; " \
                  "delete the local copy and install again",
        truncated: "the download or the copy is incomplete; delete it and install again",
        refused: "the archive contains something that no legitimate gem needs; do not install it",
        limit: "if you trust the gem: `bundle config set --local spate.max_total MiB` " \
               "(or spate.max_entry, spate.max_entries)",
        corrupt: "the file is not a gem, or it is damaged; delete it and install again"
      }.freeze

      # Converts a Native::Error: returns (not raises) an ArchiveError, ChecksumError, Store::Error or Interrupted.
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

    # The archive's bytes do not match the checksum of the lockfile, the index or the archive itself.
    class ChecksumError < ArchiveError
      EXIT_CODE = 7
    end

    # A gem given to a command is not in the bundle.
    class UnknownGemError < Error
      EXIT_CODE = 14

      # names: names of all gems in the bundle.
      def initialize(name, names)
        near = names.find { |other| other.start_with?(name) || name.start_with?("#{other}-") } ||
               Util::Suggestion.near(name, names.uniq)
        super("the bundle has no gem #{name.inspect}",
              hint: near ? "did you mean #{near}?" : "`spate list` shows its gems")
      end
    end

    # The folder of a gem with `path:` in the Gemfile does not exist.
    class MissingFolderError < Error
      EXIT_CODE = 14

      def initialize(package, folder)
        super("#{package.full_name} expected in #{folder}, which does not exist",
              hint: "create the folder, or change `path:` in the Gemfile")
      end
    end

    # With `--local`, a gem is neither in the store nor in vendor/cache.
    class NotLocalError < Error
      EXIT_CODE = 14

      def initialize(package)
        super("#{package.full_name} is neither in the store nor in vendor/cache, and --local does not fetch",
              hint: "install without --local, or put the archive into vendor/cache")
      end
    end
  end
end
