# frozen_string_literal: true

require "digest"
require "zlib"

module HostileArchives
  # The bytes of a .gem with custom parts.
  class Gem
    NAME = "evil"
    VERSION = "1.0"
    FULL_NAME = "#{NAME}-#{VERSION}".freeze

    # inner: members of data.tar.gz, as bytes. metadata: YAML text. parts: replaces members of the gem itself, in the
    # archive's order; nil leaves one out. more: bytes of further members.
    def initialize(*inner, metadata: Gem.metadata, parts: {}, more: "")
      @inner = inner
      @metadata = metadata
      @parts = parts
      @more = more
    end

    def bytes
      members = { "metadata.gz" => Zlib.gzip(@metadata), "data.tar.gz" => Zlib.gzip(Tar.archive(*@inner)) }
      members["checksums.yaml.gz"] = checksums(members.merge(@parts).compact)
      members = members.merge(@parts).compact
      Tar.archive(*members.map { |name, content| Tar.member(name, content, mode: 0o444) }, @more)
    end

    # YAML in RubyGems' format. Keywords replace lines; their values are YAML.
    def self.metadata(name: NAME, version: VERSION, platform: "ruby", **lines)
      values = { "bindir" => "bin", "executables" => "[]", "extensions" => "[]", "require_paths" => "[lib]",
                 "post_install_message" => "", "dependencies" => "[]" }.merge(lines.transform_keys(&:to_s))
      requirement = "!ruby/object:Gem::Requirement\n  requirements:\n  - - \">=\"\n    - !ruby/object:Gem::Version\n" \
                    "      version: '0'\n"
      <<~YAML
        --- !ruby/object:Gem::Specification
        name: #{name}
        version: !ruby/object:Gem::Version
          version: #{version.inspect}
        platform: #{platform}
        authors:
        - Nobody
        date: 2020-01-02 00:00:00.000000000 Z
        summary: A gem that means no good
        files: []
        required_ruby_version: #{values.delete("required_ruby_version") || requirement.chomp}
        required_rubygems_version: #{requirement.chomp}
        rubygems_version: 3.3.15
        specification_version: 4
        #{values.map { |key, value| "#{key}: #{value}" }.join("\n")}
      YAML
    end

    private

    def checksums(members)
      parts = members.slice("metadata.gz", "data.tar.gz")
      lines = parts.map { |name, content| "  #{name}: #{Digest::SHA256.hexdigest(content)}\n" }
      Zlib.gzip("---\nSHA256:\n#{lines.join}")
    end
  end
end
