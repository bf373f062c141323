# frozen_string_literal: true

module Spate
  class Lockfile
    # Parses the text of a lockfile in one pass, line by line. Patterns are anchored, and adjacent parts match different
    # characters, so that matching takes linear time.
    class Parser
      NAME = /[A-Za-z0-9_][A-Za-z0-9._-]*/
      VERSION = /[0-9]+(?:\.[0-9A-Za-z]+)*/
      PLATFORM = /[A-Za-z0-9._-]+/
      OPTION = /\A {2}([a-zA-Z]+):(?: (.*))?\z/
      SPEC = /\A {4}(#{NAME}) \((#{VERSION})(?:-(#{PLATFORM}))?\)\z/
      NEEDS = /\A {6}(#{NAME})(?: \(([^()]*)\))?!?\z/
      DEPENDENCY = /\A {2}(#{NAME})(?: \(([^()]*)\))?!?\z/
      CHECKSUM = /\A {2}(#{NAME}) \((#{VERSION})(?:-(#{PLATFORM}))?\)(?: (\S+))?\z/
      ADDRESS = /\A {2}(#{NAME}) \((#{VERSION})-(#{PLATFORM})\) ([0-9a-f]{8,64})(?: (\S+))?\z/
      REQUIREMENT = /\A\s*(?:=|!=|>=|<=|~>|>|<)?\s*[0-9]+(?:\.[0-9A-Za-z]+)*(?:-[0-9A-Za-z.-]+)?\s*\z/

      SECTIONS = {
        "GEM" => :source, "GIT" => :source, "PATH" => :source, "PLUGIN SOURCE" => :source,
        "PLATFORMS" => :platform, "DEPENDENCIES" => :dependency, "CHECKSUMS" => :checksum,
        "CONTENT ADDRESSES" => :address
      }.freeze

      # text: String in any encoding; its bytes are interpreted as UTF-8. The block returns RubyGems' version.
      def initialize(text, path, &rubygems)
        @rubygems = rubygems
        @text = text.encoding == Encoding::UTF_8 ? text : text.dup.force_encoding(Encoding::UTF_8)
        @path = path
        @line = 0
        @sources = []
        @specs = {}
        @platforms = []
        @dependencies = {}
        @requirements = {}
      end

      # Returns the arguments of Lockfile.new.
      def parse
        Preflight.new(@text, @path).check
        @text.each_line(chomp: true) do |line|
          @line += 1
          read(line)
        end
        close_source
        { sources: @sources, specs: @specs.values, platforms: @platforms, dependencies: @dependencies.values,
          checksums: @checksums&.digests }
      end

      private

      def read(line)
        return if line.empty? || line.strip.empty?

        if line.start_with?(" ", "\t")
          body(line)
        else
          head(line)
        end
      end

      def head(line)
        close_source
        @section = SECTIONS[line]
        return open_section(line) if @section

        known = line.rstrip
        fail_at("section header #{known.inspect} ends in spaces", "remove them") if SECTIONS.key?(known)
        @section = :other
      end

      def open_section(line)
        case @section
        when :source then @kind, @options, @source, @spec = line, {}, nil, nil
        when :checksum then @checksums ||= Checksums.new
        when :address then @addressed = @rubygems.nil? || ContentAddress.known_to?(@rubygems.call)
        end
      end

      def body(line)
        case @section
        when :source then source(line)
        when :dependency then dependency(line)
        when :checksum then checksum(line)
        when :address then address(line)
        when :platform then platform(line)
        when nil then indentation(line)
        end
      end

      # Options of a source are indented by two spaces, its gems by four, and their dependencies by six.
      def source(line)
        if line.start_with?("      ")
          needs(line)
        elsif line.start_with?("    ")
          spec(line)
        elsif line == "  specs:"
          @source = Sources.build(@kind, @options)
          @sources << @source
        else
          option(line)
        end
      end

      def option(line)
        indentation(line) unless OPTION =~ line
        key = $1
        value = $2 || ""
        value = value == "true" if %w[true false].include?(value)
        @options[key] = @options.key?(key) ? [*@options[key], value] : value
      end

      def spec(line)
        indentation(line, 4) unless SPEC =~ line
        fail_at("gem #{$1} is before `specs:` of its source", nil) unless @source
        platform = $3 ? Platform.parse($3).to_s : "ruby"
        @spec = Spec.new(-$1, -$2, platform, @source)
        @specs[@spec.full_name] = @spec
      end

      def needs(line)
        indentation(line, 6) unless NEEDS =~ line
        fail_at("dependency #{$1} is not below a gem", nil) unless @spec
        name = -$1
        @spec.dependencies << Dependency.new(name, requirement($2))
      end

      def dependency(line)
        indentation(line, 2) unless DEPENDENCY =~ line
        name = -$1
        @dependencies[name] = Dependency.new(name, requirement($2))
      end

      def platform(line)
        indentation(line, 2) unless line.start_with?("  ")
        @platforms << Platform.parse(line.strip)
      end

      def checksum(line)
        indentation(line, 2) unless CHECKSUM =~ line
        full_name = $3 ? "#{$1}-#{$2}-#{Platform.parse($3)}" : "#{$1}-#{$2}"
        sums(full_name, $4)
      end

      def sums(full_name, text)
        fault = (@checksums ||= Checksums.new).add(full_name, text)
        fail_at(fault, "restore the line from version control, or run `spate lock --add-checksums`") if fault
      end

      # Ignores an address of a gem that is not in the lockfile, like Bundler.
      def address(line)
        indentation(line, 2) unless ADDRESS =~ line
        name, version, platform, address, text = $~.captures
        spec = @specs["#{name}-#{version}-#{Platform.parse(platform)}"]
        return unless spec && @addressed

        known = spec.content_address
        refuse_address("#{spec.full_name} has a second content address, #{address}") if known && known != address
        spec.content_address = address
        sums(spec.full_name, text) if text
        sha256 = @checksums&.digests&.dig(spec.full_name, "sha256")
        refuse_address("#{spec.full_name} has a SHA-256 of another address: #{sha256}") unless fits?(sha256, address)
      end

      def fits?(sha256, address) = sha256.nil? || sha256.start_with?(address)

      def refuse_address(fact) = fail_at(fact, "restore the line from version control, or run `spate lock`")

      # Checks each distinct requirement only once, since it may occur on many lines.
      def requirement(text)
        return if text.nil?

        @requirements[text] ||= begin
          broken = text.split(",", -1).find { |part| !REQUIREMENT.match?(part) }
          fail_at("#{broken.inspect} is not a version requirement", "write it as `~> 1.2`") if broken || text.empty?
          -text
        end
      end

      def close_source
        return unless @section == :source && @source.nil?

        fail_at("section #{@kind} has no `specs:` line", "restore the section from version control")
      end

      def indentation(line, expected = nil)
        raise Unreadable.new(line, expected, @section).error(@path, @line)
      end

      def fail_at(fact, hint) = raise(ParseError.new(fact, path: @path, line: @line, hint: hint))
    end
  end
end
