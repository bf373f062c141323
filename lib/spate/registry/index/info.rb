# frozen_string_literal: true

module Spate
  module Registry
    module Index
      # An archive of a gem in the compact index, which is one line of /info/NAME:
      #
      #   1.2.0-x86_64-linux rack:>= 2&< 4,rake:>= 0|checksum:<sha256>,ruby:>= 3.1,rubygems:>= 3.3.22,created_at:...
      #   1.2.0-78be552b |checksum:<sha256>,ruby:~> 3.4.0,rubygems:>= 4.1.0.a,platform:x86_64-linux
      #
      # version, platform:: Strings (platform "ruby" if the line has none)
      # dependencies::      { name => [requirement, ...] }
      # ruby, rubygems::    [requirement, ...], empty if any version is allowed
      # sha256::            hex, or nil
      # content_address::   "78be552b", or nil: see ContentAddress
      Info = Struct.new(:version, :platform, :dependencies, :ruby, :rubygems, :sha256, :content_address) do
        # [Info] in the order of the index, which is the order of publication.
        def self.parse(text)
          lines(text).map { |line| parse_line(line) }
        end

        # The Info of a package, or nil if the text does not list it. If there are several, uses the last one, like
        # Bundler.
        def self.find(text, package)
          number = package.full_name.delete_prefix("#{package.name}-")
          lines(text).reverse_each do |line|
            next unless line.start_with?("#{number} ") || line == number

            info = parse_line(line)
            return info if info.content_address == package.content_address
          end
          nil
        end

        # Text before a line "---" is reserved for headers. Some servers add blank lines.
        def self.lines(text)
          body = text.delete_prefix("---\n")
          body = body.split("\n---\n", 2).last if body.include?("\n---\n")
          body.each_line(chomp: true).reject(&:empty?)
        end

        def self.parse_line(line)
          number, rest = line.split(" ", 2)
          version, suffix = number.split("-", 2)
          dependencies, facts = rest.to_s.split("|", 2)
          facts = pairs(facts)
          sha256 = facts["checksum"]&.slice(/\A\h{64}\z/)&.downcase
          ruby = facts["ruby"].to_s.split("&")
          address = suffix if facts["platform"] && addressed?(suffix, facts["platform"], ruby)
          new(version, address ? facts["platform"] : suffix || "ruby",
              pairs(dependencies).transform_values { |value| value.split("&") },
              ruby, facts["rubygems"].to_s.split("&"), sha256, address)
        end

        def self.addressed?(suffix, platform, ruby)
          ContentAddress::FORM.match?(suffix) && ContentAddress.eligible?(platform, ruby)
        end

        # "a:1,b:2" as a Hash, including unknown keys.
        def self.pairs(text)
          text.to_s.split(",").to_h { |pair| pair.split(":", 2).then { |key, value| [key, value.to_s] } }
        end
        private_class_method :lines, :parse_line, :pairs, :addressed?
      end
    end
  end
end
