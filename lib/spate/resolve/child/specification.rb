# frozen_string_literal: true

module Spate
  module Resolve
    module Child
      # A version of a gem in the compact index, as an object that Bundler's resolver can use. Most versions are only
      # compared, so dependencies are parsed on demand.
      class Specification < Bundler::EndpointSpecification
        # The common attributes of a page's versions.
        #
        # fetcher   Bundler::Fetcher
        # source    Bundler::Source::Rubygems
        # remote    Bundler::Source::Rubygems::Remote
        Origin = Struct.new(:fetcher, :source, :remote)

        # The methods of Bundler's class that this class supports. If Bundler's class has other methods, it is used
        # instead.
        KNOWN = %i[_local_specification bindir checksum created_at dependencies dependencies= executables extensions
                   fetch_platform insecurely_materialized? inspect load_paths locked_platform locked_platform= metadata
                   name platform post_install_message raw_require_paths remote remote= require_paths
                   runtime_dependencies version __swap__].freeze

        PLATFORMS = Hash.new { |known, text| known[text] = Gem::Platform.new(text) }
        DEPENDENCIES = {} # rubocop:disable Style/MutableConstant
        REQUIREMENTS = Hash.new { |known, text| known[text] = Gem::Requirement.new(text.split("&")) }
        SORTED = {} # rubocop:disable Style/MutableConstant
        ANY = Gem::Requirement.default
        # The facts after "|", separated by commas.
        FACTS = %w[checksum created_at ruby rubygems].to_h { |key| [key, /(?:\A|,)#{key}:([^,]*)/] }.freeze
        private_constant :PLATFORMS, :DEPENDENCIES, :REQUIREMENTS, :SORTED, :ANY, :FACTS

        # The most versions of a gem that are resolved. The time and the memory grow with their number; sorbet-static
        # has 14,000 variants.
        MOST = 100_000

        # The specifications in a page, in the same order.
        def self.all(name, text, origin)
          refuse(name) if text.count("\n") > MOST + 1 # with the line "---"
          return bundlers(name, text, origin) unless (superclass.instance_methods(false) - KNOWN).empty?

          lines = text.split("\n")
          header = lines.index("---")
          lines.shift(header + 1) if header
          lines.map { |line| new(name, line, origin) }
        end

        # Creates specifications of Bundler's class, like Bundler::Fetcher#specs.
        def self.bundlers(name, text, origin)
          IndexHooks.parser(name => text).info(name).map do |_, version, platform, dependencies, metadata|
            superclass.new(name, version, platform, origin.fetcher, dependencies, metadata).tap do |spec|
              spec.source = origin.source
              spec.remote = origin.remote
            end
          end
        end

        def self.refuse(name)
          raise Bundler::HTTPError, "the index lists more than #{MOST} versions of #{name}\n" \
                                    "hint: remove #{name} or its source from the Gemfile"
        end
        private_class_method :bundlers, :refuse

        # line: "1.0-java rack:>= 2&< 4|checksum:...,ruby:>= 3.1". Bundler's constructor is ten times slower.
        def initialize(name, line, origin) # rubocop:disable Lint/MissingSuper
          number, @rest = line.split(" ", 2)
          version, platform = number.include?("-") ? number.split("-", 2) : number
          @name = name
          @version = @original_version = Gem::Version.new(version)
          @platform = platform ? PLATFORMS[platform] : Gem::Platform::RUBY
          place(origin)
        end

        def full_name = @full_name ||= ruby? ? "#{@name}-#{@version}" : "#{@name}-#{@version}-#{@platform}"
        def lock_name = @lock_name ||= ruby? ? "#{@name} (#{@version})" : "#{@name} (#{@version}-#{@platform})"

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

        # The dependencies in the form that Bundler's resolver uses. Cached, since most versions of a gem have the same
        # dependencies.
        def sorted_dependencies
          key = [parts.first, fact("ruby"), fact("rubygems")]
          SORTED[key] ||= expanded_dependencies.uniq.sort
        end

        def matches_current_ruby? = required_ruby_version.satisfied_by?(Gem.ruby_version)
        def matches_current_rubygems? = required_rubygems_version.satisfied_by?(Gem.rubygems_version)

        # Whether a gem may be among the dependencies.
        def mentions?(name) = @rest.to_s.include?(name)

        # Bundler::Checksum, or nil.
        def checksum
          @checksum ||= fact("checksum")&.then { |text| Bundler::Checksum.from_api(text, @spec_fetcher.uri) }
        end

        # Time of publication, for cooldowns; nil if the index does not have it.
        def created_at
          @created_at ||= fact("created_at")&.then { |text| Time.new(text) }
        rescue ArgumentError
          nil
        end

        # Bundler records the locked platform only in instances of its own class.
        def instance_of?(type) = super || type == Bundler::EndpointSpecification

        def hash = full_name.hash
        def eql?(other) = equal?(other) || super
        def ==(other) = equal?(other) || super

        private

        def place(origin)
          @spec_fetcher = origin.fetcher
          @source = origin.source
          @remote = origin.remote
          @loaded_from = @remote_specification = @locked_platform = @dependencies = nil
          @required_ruby_version = @required_rubygems_version = @checksum = @created_at = nil
          @new_platform = @original_platform = @platform
        end

        def ruby? = @platform == Gem::Platform::RUBY
        def parts = @parts ||= @rest.to_s.split("|", 2)

        def fact(key) = parts[1]&.slice(FACTS.fetch(key), 1)

        def requirement(key)
          text = fact(key)
          text ? REQUIREMENTS[text] : ANY
        end

        # Equal dependencies of different versions are the same object.
        def dependency(pair)
          DEPENDENCIES[pair] ||= begin
            name, text = pair.split(":", 2)
            build_dependency(-name, text.to_s.split("&"))
          end
        end
      end
    end
  end
end
