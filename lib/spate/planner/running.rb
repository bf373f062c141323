# frozen_string_literal: true

module Spate
  class Planner
    # The versions of Ruby and RubyGems with which a bundle will run.
    class Running
      # The first RubyGems that distinguishes musl and glibc. A package whose platform includes the libc requires this
      # version in its metadata. With this constant, the archive need not be read to check that.
      READS_LIBC = "3.3.22"

      # rubygems_version: nil to determine it on first use.
      def initialize(ruby_version, rubygems_version = nil)
        @ruby_version = ruby_version
        @rubygems_version = rubygems_version
      end

      # Whether both requirements are satisfied; nil means no requirement.
      def fits?(ruby, rubygems)
        (ruby.nil? || Requirement.parse(ruby).satisfied_by?(@ruby_version)) &&
          (rubygems.nil? || rubygems_version.nil? || Requirement.parse(rubygems).satisfied_by?(rubygems_version))
      end

      # Whether this RubyGems supports the platform's name.
      def reads?(platform)
        return true unless platform.os == "linux" && platform.version && rubygems_version

        @reads_libc = GemVersion.new(rubygems_version) >= READS_LIBC if @reads_libc.nil?
        @reads_libc
      end

      # Whether this RubyGems supports content addresses.
      def addresses? = !rubygems_version.nil? && ContentAddress.known_to?(rubygems_version)

      # "3.3.15", or nil if unknown. Does not load RubyGems.
      def rubygems_version
        @rubygems_version ||= Util::Ruby.rubygems_version
      end
    end
  end
end
