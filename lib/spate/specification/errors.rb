# frozen_string_literal: true

module Spate
  module Specification
    # A gem's archive contains a different gem, or RubyGems rejects its metadata.
    class PackageMismatchError < Error
      EXIT_CODE = 8

      def self.other(package, found)
        new("#{package.full_name}: the archive contains #{found.inspect}",
            hint: "the gem source or vendor/cache has the wrong file under this name; " \
                  "delete it there and install again")
      end

      # The error for a content-addressed gem, whose name contains the first digits of its archive's SHA-256.
      def self.address(package, sha256)
        new("#{package.full_name}: expected a SHA-256 beginning with #{package.content_address}, found #{sha256}",
            hint: "the gem source or vendor/cache has another file under this name, or the lockfile has another " \
                  "address; to query the source again: spate lock")
      end

      def self.platform(package, found)
        new("#{package.full_name}: the archive is for #{found}, not for #{package.platform}",
            hint: "query the source again: spate lock")
      end

      def self.no_metadata(path)
        new("#{path} has no gem metadata",
            hint: "the file is not a gem, or it is damaged; delete it and install again")
      end

      def self.refused(package, error)
        new("#{package.full_name}: RubyGems rejects its specification: #{error.message.lines.first&.chomp}",
            hint: "the gem is broken or was tampered with; try another version")
      end
    end

    # The gem requires a different version of Ruby or RubyGems.
    class WrongRubyError < Error
      EXIT_CODE = 15

      # The incompatible Package, or nil if the Gemfile itself requires a different version.
      attr_accessor :package

      def self.check(package, what, requirement, running)
        return if requirement.satisfied_by?(running)

        raise of(package, what, requirement, running)
      end

      def self.of(package, what, requirement, running)
        first = what == "Ruby" ? "use a matching Ruby version" : "`gem update --system`"
        about(package, "#{package.full_name} requires #{what} #{requirement}, this is #{what} #{running}", first)
      end

      # read: the full name that the package has in this RubyGems.
      def self.platform(package, read, running)
        about(package, "#{package.full_name} needs a newer RubyGems: RubyGems #{running} reads its platform as #{read}",
              "`gem update --system`")
      end

      def self.about(package, text, first)
        new(text, hint: "#{first}, or lock another version of the gem").tap { |error| error.package = package }
      end
      private_class_method :about
    end
  end
end
