# frozen_string_literal: true

module Spate
  class Layout
    # Folders and versions of the machine's RubyGems. Since distributions patch RubyGems, a child process queries it,
    # once per Ruby and environment. The store contains the result and stamps of all files that affect it.
    #
    # version "3.3.15", dir "/var/lib/gems/3.1.0", bindir "/usr/local/bin", platform "x86_64-linux" (as in the names of
    # extension folders), extension_api_version "3.1.0", path [folders in which Ruby searches for gems],
    # default_specifications [folders], default_sources [default URIs of RubyGems], ruby (its path), ruby_version
    # "3.1.2", bundler_version "2.3.15", bundler_lib, files [paths that invalidate the result if they change].
    Rubygems = Struct.new(
      :version, :dir, :bindir, :platform, :extension_api_version, :ruby, :ruby_version, :bundler_version, :bundler_lib,
      :path, :default_specifications, :default_sources, :files, keyword_init: true
    ) do
      # store: a Store or nil. env: the environment in which Ruby would start.
      def self.current(store: nil, env: ENV)
        RubygemsProbe.new(store, env).answer
      end

      # Parses one `name<TAB>value` per line. The lines of a list repeat its name.
      def self.parse(text)
        values = {}
        text.dup.force_encoding(Encoding::UTF_8).each_line(chomp: true) do |line|
          name, _, value = line.partition("\t")
          name = name.to_sym
          next if value.empty? || !members.include?(name)

          Rubygems::LISTS.include?(name) ? (values[name] ||= []) << value : values[name] = value
        end
        Rubygems::LISTS.each { |name| values[name] ||= [] }
        new(**values)
      end

      # Identifies everything except the gem itself that affects the gemspec and the wrappers that RubyGems generates:
      # "rubygems-3.3.15-<16 hex digits>".
      def key
        @key ||= begin
          rest = [ruby, ruby_version, platform, extension_api_version].join("\n")
          "rubygems-#{version}-#{Store.sha256(rest)[0, 16]}"
        end
      end
    end

    Rubygems::LISTS = %i[path default_specifications default_sources files].freeze
  end
end
