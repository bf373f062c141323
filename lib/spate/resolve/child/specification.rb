# frozen_string_literal: true

module Spate
  module Resolve
    module Child
      # A version of a gem in the compact index, in the form that Bundler's resolver reads. Most versions are only
      # compared, so dependencies are parsed on demand.
      class Specification < Bundler::EndpointSpecification
        # The common attributes of a page's versions.
        #
        # fetcher   Bundler::Fetcher
        # source    Bundler::Source::Rubygems
        # remote    Bundler::Source::Rubygems::Remote
        Origin = Struct.new(:fetcher, :source, :remote)

        # Bundler's methods that are known here. With other ones, Bundler's own class is used.
        KNOWN = %i[_local_specification bindir checksum dependencies dependencies= executables extensions fetch_platform
                   insecurely_materialized? inspect load_paths locked_platform locked_platform= metadata name platform
                   post_install_message remote remote= require_paths runtime_dependencies version __swap__].freeze

        PLATFORMS = Hash.new { |known, text| known[text] = Gem::Platform.new(text) }
        DEPENDENCIES = Hash.new { |known, name| known[name] = {} }
        REQUIREMENTS = Hash.new { |known, text| known[text] = Gem::Requirement.new(text.split("&")) }
        SORTED = {} # rubocop:disable Style/MutableConstant
        ANY = Gem::Requirement.default
        private_constant :PLATFORMS, :DEPENDENCIES, :REQUIREMENTS, :SORTED, :ANY

        # Specifications of a page's lines, in its order.
        def self.all(name, text, origin)
          return bundlers(name, text, origin) unless (superclass.instance_methods(false) - KNOWN).empty?

          lines = text.split("\n")
          header = lines.index("---")
          lines.shift(header + 1) if header
          lines.map { |line| new(name, line, origin) }
        end

        # As Bundler::Fetcher#specs does.
        def self.bundlers(name, text, origin)
          IndexHooks.parser(name => text).info(name).map do |_, version, platform, dependencies, metadata|
            superclass.new(name, version, platform, origin.fetcher, dependencies, metadata).tap do |spec|
              spec.source = origin.source
              spec.remote = origin.remote
            end
          end
        end
        private_class_method :bundlers

        attr_reader :full_name, :lock_name

        # line: "1.0-java rack:>= 2&< 4|checksum:...,ruby:>= 3.1". Bundler's own constructor is ten times as slow.
        def initialize(name, line, origin) # rubocop:disable Lint/MissingSuper
          number, @rest = line.split(" ", 2)
          version, platform = number.split("-", 2)
          @name = name
          @version = @original_version = Gem::Version.new(version)
          @platform = platform ? PLATFORMS[platform] : Gem::Platform::RUBY
          place(origin)
          @full_name = platform ? "#{name}-#{version}-#{@platform}" : "#{name}-#{version}"
          @lock_name = platform ? "#{name} (#{version}-#{@platform})" : "#{name} (#{version})"
        end

        def dependencies
          @dependencies ||= begin
            list = parts.first.to_s
            list.split(",").map { |pair| dependency(pair) }
          end
        end
        alias runtime_dependencies dependencies

        def required_ruby_version = @required_ruby_version ||= requirement("ruby")
        def required_rubygems_version = @required_rubygems_version ||= requirement("rubygems")

        def expanded_dependencies
          required_ruby_version
          required_rubygems_version
          super
        end

        # As Bundler's resolver wants them. Most versions of a gem have the same ones.
        def sorted_dependencies
          key = [parts.first, facts["ruby"], facts["rubygems"]]
          SORTED[key] ||= expanded_dependencies.uniq.sort
        end

        def matches_current_ruby? = required_ruby_version.satisfied_by?(Gem.ruby_version)
        def matches_current_rubygems? = required_rubygems_version.satisfied_by?(Gem.rubygems_version)

        # Whether the gem may be among the dependencies.
        def mentions?(name) = @rest.to_s.include?(name)

        # Bundler::Checksum, or nil.
        def checksum
          @checksum ||= facts["checksum"] && Bundler::Checksum.from_api(facts["checksum"], @spec_fetcher.uri)
        end

        def hash = @full_name.hash
        def eql?(other) = equal?(other) || super
        def ==(other) = equal?(other) || super

        private

        def place(origin)
          @spec_fetcher = origin.fetcher
          @source = origin.source
          @remote = origin.remote
          @loaded_from = @remote_specification = @locked_platform = @dependencies = nil
          @required_ruby_version = @required_rubygems_version = @checksum = nil
          @new_platform = @original_platform = @platform
        end

        def parts = @parts ||= @rest.to_s.split("|", 2)

        def facts = @facts ||= parts[1].to_s.split(",").to_h { |pair| pair.split(":", 2) }

        def requirement(key)
          text = facts[key]
          text ? REQUIREMENTS[text] : ANY
        end

        # Equal dependencies of different versions are one object.
        def dependency(pair)
          name, text = pair.split(":", 2)
          DEPENDENCIES[name][text] ||= build_dependency(-name, text.to_s.split("&"))
        end
      end
    end
  end
end
