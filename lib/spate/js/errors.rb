# frozen_string_literal: true

module Spate
  module JS
    # A lockfile that cannot be read, or says what cannot be.
    class LockfileError < Error
      EXIT_CODE = 3
    end

    # Lockfile and package.json disagree.
    class DisagreementError < Error
      EXIT_CODE = 4
    end

    # A package's name that would lead somewhere else as a path.
    class UnsafeNameError < LockfileError
      # whose: what has the name, for the message.
      def initialize(name, whose)
        super("#{whose}: #{name.inspect} is no package's name: expected `name` or `@scope/name`",
              hint: "somebody may have changed the lockfile: compare it with its last commit")
      end
    end

    # A path that leads out of the project.
    class UnsafePathError < LockfileError
      def initialize(path, whose)
        super("#{whose}: #{path.inspect} leads out of its folder",
              hint: "somebody may have changed the lockfile: compare it with its last commit")
      end
    end

    # A package.json that cannot be read. One that came in an archive makes the archive unusable.
    class PackageFileError < Error
      EXIT_CODE = 8

      # whose: what has the file, for the message; what: the parser's words.
      def initialize(whose, what)
        super("#{whose}: its package.json cannot be read: #{what}",
              hint: "the package is damaged, or was published so: npm refuses it, too")
      end
    end

    # What Spate leaves to the project's own tool, since it would not do it in full.
    class LeftToTool < Error
      # [String], for people: "a dependency from git".
      attr_reader :reasons

      def initialize(reasons)
        @reasons = Array(reasons)
        super("left to the project's own tool: #{@reasons.join("; ")}")
      end
    end
  end
end
