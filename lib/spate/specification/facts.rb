# frozen_string_literal: true

module Spate
  module Specification
    # The metadata of a gem that an installer needs, stored as text in a manifest. Each line has the form
    # `key<TAB>value`, in the order below; lists repeat the key. Tabs, newlines and backslashes in values are escaped
    # (\t, \n, \\). The text can be read without RubyGems and YAML.
    class Facts
      ONE = %i[name version platform bindir required_ruby required_rubygems post_install_message verified].freeze
      MANY = %i[require_paths executables extensions plugins dependencies scripts].freeze
      ESCAPES = { "\\" => "\\\\", "\t" => "\\t", "\n" => "\\n" }.freeze
      UNESCAPES = ESCAPES.invert.freeze

      attr_reader(*ONE, *MANY)

      # `verified` is the source of the archive's checksum: "lockfile", "index", "vendor" or "archive".
      def initialize(**values)
        ONE.each { |key| instance_variable_set(:"@#{key}", values[key]) }
        MANY.each { |key| instance_variable_set(:"@#{key}", values[key] || []) }
      end

      def self.parse(text)
        values = {}
        text.each_line(chomp: true) do |line|
          key, _, value = line.partition("\t")
          key = key.to_sym
          value = value.gsub(/\\[\\tn]/, UNESCAPES) if value.include?("\\")
          MANY.include?(key) ? (values[key] ||= []) << value : values[key] = value
        end
        new(**values)
      end

      # The paths in a package that RubyGems would load when it starts.
      def self.plugins(require_paths, paths)
        names = require_paths.map { |folder| folder == "." ? "rubygems_plugin.rb" : "#{folder}/rubygems_plugin.rb" }
        names.select { |path| paths.include?(path) }
      end

      def to_s
        lines = ONE.filter_map { |key| line(key, public_send(key)) if public_send(key) }
        lines.concat(MANY.flat_map { |key| public_send(key).map { |value| line(key, value) } }).join
      end

      def native? = !extensions.empty?

      # Path of an executable in the package, normalized: a bindir may be written "exe/", "./exe" or ".".
      def executable(name) = [*bindir.to_s.split("/").reject { |part| part.empty? || part == "." }, name].join("/")

      # Whether the archive belongs to a package, according to its metadata.
      def of?(package)
        [name, version, platform || "ruby"] == [package.name, package.version, package.platform] &&
          (package.content_address.nil? || ContentAddress.eligible?(platform, [required_ruby]))
      end

      private

      def line(key, value)
        "#{key}\t#{value.to_s.gsub(/[\\\t\n]/, ESCAPES)}\n"
      end
    end
  end
end
