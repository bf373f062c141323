# frozen_string_literal: true

module Spate
  module Registry
    # What the compact index says about one archive of a gem. One line of /info/NAME:
    #
    #   1.2.0-x86_64-linux rack:>= 2&< 4,rake:>= 0|checksum:<sha256>,ruby:>= 3.1,rubygems:>= 3.3.22,created_at:...
    #
    # version, platform:: Strings ("ruby" where the line names none)
    # dependencies::      { name => [requirement, ...] }
    # ruby, rubygems::    [requirement, ...], empty where any will do
    # sha256::            hex, or nil
    Info = Struct.new(:version, :platform, :dependencies, :ruby, :rubygems, :sha256) do
      # Array of Info, in the index's order (versions come in the order of their release).
      def self.parse(text)
        lines(text).map { |line| parse_line(line) }
      end

      # The Info of one version and platform, nil where the text does not list it.
      def self.find(text, version, platform)
        number = platform == "ruby" ? version : "#{version}-#{platform}"
        line = lines(text).find { |candidate| candidate.start_with?("#{number} ") || candidate == number }
        line && parse_line(line)
      end

      # Text before a line of "---" is reserved for headers; some servers write blank lines.
      def self.lines(text)
        body = text.delete_prefix("---\n")
        body = body.split("\n---\n", 2).last if body.include?("\n---\n")
        body.each_line(chomp: true).reject(&:empty?)
      end

      def self.parse_line(line)
        number, rest = line.split(" ", 2)
        version, platform = number.split("-", 2)
        dependencies, facts = rest.to_s.split("|", 2)
        facts = pairs(facts)
        sha256 = facts["checksum"]&.slice(/\A\h{64}\z/)&.downcase
        new(version, platform || "ruby", pairs(dependencies).transform_values { |value| value.split("&") },
            facts["ruby"].to_s.split("&"), facts["rubygems"].to_s.split("&"), sha256)
      end

      # "a:1,b:2" to a Hash; keys that nobody knows yet stay in it and hurt nobody.
      def self.pairs(text)
        text.to_s.split(",").to_h { |pair| pair.split(":", 2).then { |key, value| [key, value.to_s] } }
      end
      private_class_method :lines, :parse_line, :pairs
    end
  end
end
