# frozen_string_literal: true

module Spate
  module Specification
    # An archive that is not the gem it was asked for, or whose metadata RubyGems refuses.
    class PackageMismatchError < Error
      EXIT_CODE = 8

      def self.other(package, found)
        new("#{package.full_name}: the archive holds #{found.inspect}",
            hint: "the gem source or vendor/cache has the wrong file under this name; " \
                  "delete it there and install again")
      end

      # Of a content-addressed gem, whose name begins with its archive's SHA-256.
      def self.address(package, sha256)
        new("#{package.full_name}: the archive's SHA-256 should begin with #{package.content_address}, it is #{sha256}",
            hint: "the gem source or vendor/cache has another file under this name, or the lockfile names another " \
                  "address; `bundle lock` asks the source anew")
      end

      def self.platform(package, found)
        new("#{package.full_name}: the archive is for #{found}, not for #{package.platform}",
            hint: "`bundle lock` asks the source anew")
      end

      def self.no_metadata(path)
        new("#{path}: it has no metadata",
            hint: "the file is not a gem, or it is damaged; delete it and install again")
      end

      def self.refused(package, error)
        new("#{package.full_name}: RubyGems refuses its specification: #{error.message.lines.first&.chomp}",
            hint: "the gem was built wrongly or tampered with; try another version of it")
      end
    end

    # The gem asks for another Ruby or RubyGems than the one that runs.
    class WrongRubyError < Error
      EXIT_CODE = 15

      # The Package that does not fit, nil where it is the Gemfile itself.
      attr_accessor :package

      def self.check(package, what, requirement, running)
        return if requirement.satisfied_by?(running)

        raise of(package, what, requirement, running)
      end

      def self.of(package, what, requirement, running)
        first = what == "Ruby" ? "run it with a Ruby that fits" : "`gem update --system`"
        about(package, "#{package.full_name} requires #{what} #{requirement}, this is #{what} #{running}", first)
      end

      # read: the full name under which this RubyGems would install the package.
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
