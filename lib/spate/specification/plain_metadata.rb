# frozen_string_literal: true

module Spate
  module Specification
    # A gem's metadata, read without RubyGems. The results are identical to those of RubygemsMetadata. Supports only
    # ordinary gems. For all others `read` returns nil, and RubygemsMetadata reads or rejects the gem.
    class PlainMetadata
      SPECIFICATION = "Gem::Specification"
      NAME = /\A[a-zA-Z0-9][a-zA-Z0-9._-]*\z/
      VERSION = /\A[0-9]+(?:\.[0-9A-Za-z]+)*\z/
      OPERATORS = %w[= != > < >= <= ~>].freeze
      # Caches by requirement object, which gems share: whether it is valid, its parts, and whether versions satisfy it.
      REQUIREMENTS = {}.compare_by_identity
      PARTS = {}.compare_by_identity
      KNOWN_VERSIONS = Hash.new { |met, version| met[version] = {}.compare_by_identity }
      TEXT = ->(value) { value.is_a?(String) }
      OPTIONAL_TEXT = ->(value) { value.nil? || value.is_a?(String) }
      TEXTS = ->(value) { value.is_a?(Array) && value.all?(String) }
      FLAG = ->(value) { [true, false, nil].include?(value) }
      NONE = ->(value) { value.nil? }
      REQUIREMENT = ->(value) { requirement?(value) }
      REQUIRED = {
        "name" => ->(value) { value.is_a?(String) && NAME.match?(value) },
        "version" => ->(value) { version?(value) }, "platform" => TEXT, "authors" => TEXTS, "bindir" => TEXT,
        "date" => ->(value) { value.is_a?(Yaml::Scalar::Day) },
        "dependencies" => ->(value) { value.is_a?(Array) && value.all? { |one| dependency?(one) } },
        "executables" => TEXTS, "extensions" => TEXTS, "extra_rdoc_files" => TEXTS, "require_paths" => TEXTS,
        "required_ruby_version" => REQUIREMENT, "required_rubygems_version" => REQUIREMENT, "rubygems_version" => TEXT,
        "specification_version" => ->(value) { value.is_a?(Integer) }, "summary" => TEXT
      }.freeze
      OPTIONAL = {
        "autorequire" => NONE, "cert_chain" => TEXTS, "default_executable" => OPTIONAL_TEXT,
        "description" => OPTIONAL_TEXT,
        "email" => ->(value) { value.is_a?(Array) ? value.all?(OPTIONAL_TEXT) : OPTIONAL_TEXT[value] },
        "files" => TEXTS, "has_rdoc" => FLAG, "homepage" => OPTIONAL_TEXT, "licenses" => TEXTS,
        "metadata" => ->(value) { value.is_a?(Hash) && value.each_value.all?(String) },
        "post_install_message" => OPTIONAL_TEXT, "rdoc_options" => TEXTS, "requirements" => TEXTS,
        "rubyforge_project" => OPTIONAL_TEXT, "signing_key" => NONE, "test_files" => TEXTS
      }.freeze
      DEPENDENCY = {
        "name" => REQUIRED["name"], "requirement" => REQUIREMENT, "version_requirements" => REQUIREMENT,
        "type" => ->(value) { %i[runtime development].include?(value) }, "prerelease" => FLAG,
        "force_ruby_platform" => FLAG
      }.freeze

      class << self
        # dialect: the Dialect of this machine's RubyGems. Returns a PlainMetadata, or nil.
        def read(yaml, package, dialect)
          document = Yaml.read(yaml, psych: dialect.psych?)
          return unless document&.tag == SPECIFICATION && complete?(document.fields)

          metadata = new(document.fields, dialect, package.content_address)
          metadata if metadata.plain? && metadata.of?(package) && metadata.runs_here?
        rescue ArgumentError # a version that Spate cannot compare
          nil
        end

        private

        def complete?(map)
          REQUIRED.each_key.all? { |key| map.key?(key) } && map.all? do |key, value|
            (REQUIRED[key] || OPTIONAL[key])&.call(value)
          end
        end

        def version?(value)
          return false unless tagged?(value, "Gem::Version") && FLAG[value.fields["prerelease"]]

          text = value.fields["version"]
          text.is_a?(String) && VERSION.match?(text) && (value.fields.keys - %w[version prerelease]).empty?
        end

        def requirement?(value) = REQUIREMENTS.fetch(value) { REQUIREMENTS[value] = valid_requirement?(value) }

        def valid_requirement?(value)
          return false unless tagged?(value, "Gem::Requirement") && FLAG[value.fields["none"]]

          list = value.fields["requirements"]
          (value.fields.keys - %w[requirements none]).empty? && list.is_a?(Array) && !list.empty? && list.all? do |pair|
            pair.is_a?(Array) && pair.size == 2 && OPERATORS.include?(pair.first) && version?(pair.last)
          end
        end

        def dependency?(value)
          tagged?(value, "Gem::Dependency") && value.fields.key?("requirement") && value.fields.key?("type") &&
            value.fields.key?("name") && value.fields.all? { |key, one| DEPENDENCY[key]&.call(one) }
        end

        def tagged?(value, tag) = value.is_a?(Yaml::Tagged) && value.tag == tag
      end

      # content_address: the content address in the package's name, or nil.
      def initialize(map, dialect, content_address)
        @map = map
        @dialect = dialect
        @content_address = content_address if content_address && eligible?
      end

      attr_reader :content_address

      def [](key) = @map[key]
      def name = @map["name"]
      def version = @map["version"].fields["version"]
      # RubyGems' name of the platform.
      def platform = @dialect.platforms[@map["platform"]]
      def list(key) = @map[key] || []
      def executables = list("executables")

      def full_name
        suffix = content_address || (platform unless platform == "ruby")
        suffix ? "#{name}-#{version}-#{suffix}" : "#{name}-#{version}"
      end

      # Compares the platform separately if the name contains a content address instead of the platform.
      def of?(package) = full_name == package.full_name && (content_address.nil? || platform == package.platform)

      # ["~> 1.0", ">= 1.0.3"]
      def requirement(key) = parts(@map[key])

      # [[name, [requirement], :runtime or :development]]
      def dependencies
        @map["dependencies"].map { |one| [one.fields["name"], parts(one.fields["requirement"]), one.fields["type"]] }
      end

      # Whether Writer supports all attributes. Their types were checked before.
      def plain?
        !platform.nil? && @dialect.wraps?(self) &&
          (@map["require_paths"] + list("extensions")).none? { |path| path.match?(/\R/) } &&
          (requirement("required_ruby_version") == [">= 0"] || !zero?(requirement("required_ruby_version")))
      end

      def runs_here?
        runs?("required_ruby_version", @dialect.ruby_version) && runs?("required_rubygems_version", @dialect.version)
      end

      def facts(paths, verified:)
        Facts.new(
          name: name, version: version, platform: platform, bindir: @map["bindir"],
          required_ruby: requirement("required_ruby_version").join(", "),
          required_rubygems: requirement("required_rubygems_version").join(", "),
          post_install_message: @map["post_install_message"], verified: verified,
          require_paths: @map["require_paths"], executables: executables, extensions: list("extensions"),
          plugins: Facts.plugins(@map["require_paths"], paths),
          dependencies: dependencies.filter_map { |name, _, type| name if type == :runtime }
        )
      end

      # first_lines: see RubygemsMetadata#generate. Only the names are used, since standard wrappers do not depend on
      # the lines.
      def generate(first_lines, _scratch = nil)
        GeneratedFiles.new(specification: @dialect.specification(self),
                           wrappers: first_lines.compact.to_h { |exe, _| [exe, @dialect.wrapper(name, exe)] })
      end

      private

      def eligible? = ContentAddress.eligible?(platform, requirement("required_ruby_version"))

      # Cached by object, since gems share requirements (see Yaml).
      def parts(requirement)
        PARTS[requirement] ||= requirement.fields["requirements"].map do |operator, version|
          "#{operator} #{version.fields["version"]}"
        end
      end

      # Whether the requirement allows any version: ">= 0", ">= 0.0" and so on.
      def zero?(parts) = parts.all? { |part| part.match?(/\A>= [0.]+\z/) }

      def runs?(key, running)
        KNOWN_VERSIONS[running].fetch(@map[key]) do |wanted|
          KNOWN_VERSIONS[running][wanted] = Requirement.parse(parts(wanted)).satisfied_by?(running)
        end
      end
    end
  end
end
