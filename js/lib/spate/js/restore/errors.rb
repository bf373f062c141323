# frozen_string_literal: true

module Spate
  module JS
    module Restore
      # An archive cannot be unpacked or has unsafe content.
      class ArchiveError < Error
        EXIT_CODE = 8
        HINTS = {
          truncated: "the download is incomplete: run `spate js` again",
          refused: "the archive is unsafe: do not install it",
          limit: "the archive exceeds the size limits",
          corrupt: "the file is not a package or is damaged: run `spate js` again"
        }.freeze

        # Returns an exception for a Native::Error about an Item's archive.
        def self.for(error, item, store)
          return Interrupted.new("interrupted") if error.status == :cancelled
          if error.errno.to_i.positive? && error.errno != Errno::EEXIST::Errno
            return Store::Error.for(error.errno, error.member.to_s.start_with?("/") ? error.member : store.root)
          end

          member = error.member.to_s.empty? ? "" : " (#{error.member})"
          new("#{item.full_name}#{member}: #{error.message}; from #{item.origin}", hint: HINTS[error.status])
        end
      end

      # Versions that were published too recently for the project's minimumReleaseAge.
      class ReleaseAgeError < LockfileError
        # young: [[full name, the problem]]. cutoff: Time. minutes: Numeric.
        def initialize(young, cutoff, minutes)
          told = young.map { |pair| pair.join(": ") }
          minutes = minutes.to_i if minutes == minutes.to_i
          super("#{told.first}; expected a version published before #{cutoff.getutc.iso8601} " \
                "(minimumReleaseAge: #{minutes} minutes)",
                details: told.drop(1),
                hint: "wait, or allow it in pnpm-workspace.yaml: " \
                      "minimumReleaseAgeExclude: [#{young.map { |name, _| name.inspect }.first(5).join(", ")}]")
        end
      end

      # An archive does not match the lockfile's integrity. Spate does not retry, or try another source.
      class ChecksumError < Error
        EXIT_CODE = 7

        # found: the hexadecimal digest.
        def initialize(item, found)
          wanted = item.integrity
          found = Package::Integrity.new(wanted.algorithm, [found])
          super("#{item.full_name}: expected #{wanted.to_s.gsub(" ", " or ")}, found #{found}; from #{item.origin}",
                hint: "a damaged download, a changed mirror, or tampering: compare the lockfile with its last commit")
        end
      end

      # Network access is not allowed, and the store lacks a package.
      class NotLocalError < Error
        EXIT_CODE = 6
        NAMED = 10

        # The first names, and the number of further ones.
        def self.list(names)
          names.first(NAMED).join(", ") + (names.length > NAMED ? " and #{names.length - NAMED} more" : "")
        end

        # names: full names of packages. what: the missing part; nil if the package itself is missing.
        def initialize(names, what = nil)
          super("the store does not have #{"#{what} of " if what}#{NotLocalError.list(names)}",
                hint: "run `spate js` once without --local")
        end
      end

      # A folder of the project that is not a directory, is outside the project, or cannot be written.
      class FolderError < Error
        EXIT_CODE = 9

        # Another file is in place of a folder. stat: its File::Stat.
        def self.at(path, stat, expected)
          new("#{path} is #{Util::PathConflict::KINDS.fetch(stat.ftype, "a file")}: expected #{expected}",
              hint: "remove it: a restore does not write through links")
        end

        # Runs the block. Adds the path to errors of the file system.
        def self.guard(root)
          yield
        rescue SystemCallError => e
          paths = Util::PathConflict.paths(e)
          raise if paths.empty?

          raise self.for(e, paths.reverse.find { |path| path.start_with?(root) } || paths.last, root)
        end

        # Converts a failed system call on a path to an exception. failure: SystemCallError or errno.
        def self.for(failure, path, root)
          number = failure.is_a?(Integer) ? failure : failure.errno
          error = Store::Error.for(number, path)
          return error if error.is_a?(Store::Full) || !path.start_with?(root)
          return new(error.message, hint: "make it writable for user #{Process.euid}") if error.is_a?(Store::ReadOnly)

          obstacle = Util::PathConflict.new(path, number, root: root)
          new(obstacle.message, hint: obstacle.there? ? obstacle.hint : "check the disk and that folder")
        end
      end
    end
  end
end
