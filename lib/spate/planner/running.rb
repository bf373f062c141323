# frozen_string_literal: true

module Spate
  class Planner
    # The Ruby and the RubyGems that a bundle will run under.
    class Running
      # The first RubyGems that tells musl from glibc. A package whose platform names its libc asks for it in its
      # metadata, inside the archive; that Bundler skips such a package here is known without reading it.
      READS_LIBC = "3.3.22"

      # rubygems_version: nil to find it out when it matters.
      def initialize(ruby_version, rubygems_version = nil)
        @ruby_version = ruby_version
        @rubygems_version = rubygems_version
      end

      # Whether both requirements hold; nil asks for nothing.
      def fits?(ruby, rubygems)
        (ruby.nil? || Requirement.parse(ruby).satisfied_by?(@ruby_version)) &&
          (rubygems.nil? || rubygems_version.nil? || Requirement.parse(rubygems).satisfied_by?(rubygems_version))
      end

      # Whether this RubyGems understands the platform's name.
      def reads?(platform)
        return true unless platform.os == "linux" && platform.version && rubygems_version

        @reads_libc = GemVersion.new(rubygems_version) >= READS_LIBC if @reads_libc.nil?
        @reads_libc
      end

      # Whether this RubyGems knows content addresses.
      def addresses? = !rubygems_version.nil? && ContentAddress.known_to?(rubygems_version)

      # "3.3.15", or nil where it cannot be found. RubyGems is not loaded for it.
      def rubygems_version
        @rubygems_version ||= Ground::Ruby.rubygems_version
      end
    end
  end
end
