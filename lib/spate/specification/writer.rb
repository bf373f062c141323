# frozen_string_literal: true

module Spate
  module Specification
    # Writes an installed gemspec as Ruby source, in the style of several versions of RubyGems. Attributes are ordered
    # by name, and default values are omitted. Dialect checks whether this RubyGems writes the same text.
    class Writer
      # guarded: before RubyGems 3.4, dependencies are in conditions. kept: since RubyGems 4.0, rubygems_version is the
      # gem's own value, and all strings are frozen. quoted: since 4.1, like kept, but names of dependencies are written
      # like other strings. plain: none of these.
      STYLES = %w[guarded plain kept quoted].freeze

      # {attribute => default value, which is omitted, or :always}, ordered by name.
      ATTRIBUTES = {
        "authors" => [], "bindir" => "bin", "cert_chain" => [], "date" => :always, "description" => nil,
        "email" => nil, "executables" => [], "extensions" => [], "extra_rdoc_files" => [], "files" => [],
        "homepage" => nil, "licenses" => [], "post_install_message" => nil, "rdoc_options" => [],
        "required_ruby_version" => [">= 0"], "requirements" => [], "rubygems_version" => :always, "summary" => :always
      }.freeze

      # metadata: PlainMetadata. rubygems: the version of RubyGems to imitate. style: one of STYLES.
      def initialize(metadata, rubygems:, style:)
        @metadata = metadata
        @rubygems = rubygems
        @style = style
      end

      def to_s
        [*head, *attributes, "", installed_by, *dependencies, "end", ""].join("\n")
      end

      private

      def head
        [*comments, "", "Gem::Specification.new do |s|", "  s.name = #{code(@metadata.name)}",
         "  s.version = #{kept? ? code(@metadata.version) : @metadata.version.dump}", *platform, "", rubygems_wanted,
         *freeform, "  s.require_paths = #{code(@metadata["require_paths"])}"]
      end

      def comments
        m = @metadata
        address = m.content_address
        stub = "# stub: #{m.name} #{m.version} #{address || m.platform} #{m["require_paths"].join("\0")}"
        extensions = m.list("extensions")
        ["# -*- encoding: utf-8 -*-", stub, *("# stub: #{extensions.join("\0")}" unless extensions.empty?),
         *("# stub-target: platform=#{m.platform}" if address)]
      end

      def kept? = %w[kept quoted].include?(@style)

      def platform
        return [] if @metadata.platform == "ruby"

        ["  s.platform = #{code(@metadata["platform"])}", *content_address]
      end

      def content_address
        address = @metadata.content_address or return []
        ["  s.content_address = #{code(address)} if s.respond_to? :content_address="]
      end

      def rubygems_wanted
        "  s.required_rubygems_version = #{requirement("required_rubygems_version")} " \
          "if s.respond_to? :required_rubygems_version="
      end

      def freeform
        map = @metadata["metadata"]
        return [] if map.nil? || map.empty?

        pairs = map.sort.map { |key, value| "#{key.dump} => #{value.dump}" }
        ["  s.metadata = { #{pairs.join(", ")} } if s.respond_to? :metadata="]
      end

      def attributes
        ATTRIBUTES.filter_map do |name, default|
          value = attribute(name)
          "  s.#{name} = #{written(name, value)}" unless value == default
        end
      end

      def attribute(name)
        case name
        when "files" then files
        when "rubygems_version" then kept? ? @metadata[name] : @rubygems
        when "date" then @metadata["date"].text
        when "required_ruby_version" then @metadata.requirement(name)
        else @metadata[name] || ATTRIBUTES[name]
        end
      end

      def written(name, value)
        case name
        when "date" then value.dump
        when "required_ruby_version" then requirement(name)
        else code(value)
        end
      end

      # The `files` of an installed specification. RubyGems lists only files that are also in another attribute.
      def files
        executables = @metadata.executables.map { |name| File.join(@metadata["bindir"], name) }
        (executables + @metadata.list("extra_rdoc_files") + @metadata.list("extensions")).uniq.sort
      end

      def requirement(name)
        list = @metadata.requirement(name)
        "Gem::Requirement.new(#{code(list.one? ? list.first : list)})"
      end

      def code(value)
        case value
        when nil then "nil"
        when Array then "[#{value.map { |one| code(one) }.join(", ")}]"
        else "#{value.dump}.freeze"
        end
      end

      def installed_by
        return "  s.installed_by_version = #{code(@rubygems)}" if kept?

        "  s.installed_by_version = #{@rubygems.dump} if s.respond_to? :installed_by_version"
      end

      def dependencies
        list = @metadata.dependencies
        return [] if list.empty?

        version = "s.specification_version = #{@metadata["specification_version"]}"
        @style == "guarded" ? guarded(version, list) : ["", "  #{version}", "", *added(list, "  ")]
      end

      def guarded(version, list)
        ["", "  if s.respond_to? :specification_version then", "    #{version}", "  end", "",
         "  if s.respond_to? :add_runtime_dependency then", *added(list, "    "), "  else",
         *list.map { |name, parts, _| "    s.add_dependency(%q<#{name}>.freeze, #{parts.inspect})" }, "  end"]
      end

      def added(list, indent)
        list.map do |name, parts, type|
          named = @style == "quoted" ? code(name) : "%q<#{name}>.freeze"
          "#{indent}s.add_#{type}_dependency(#{named}, #{kept? ? code(parts) : parts.inspect})"
        end
      end
    end
  end
end
