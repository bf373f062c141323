# frozen_string_literal: true

module Spate
  module Install
    module Commit
      # What an install leaves for the next one in the bundle's record, besides the trees: `key<TAB>value` lines.
      #
      # git:: names of checkouts that are complete
      # unfit:: full names of packages that do not fit this Ruby or RubyGems
      Notes = Struct.new(:git, :unfit) do
        def self.parse(text)
          notes = new([], [])
          text.to_s.each_line(chomp: true) do |line|
            key, value = line.split("\t", 2)
            notes[key] << value if value && %w[git unfit].include?(key)
          end
          notes
        end

        def to_s = members.flat_map { |key| self[key].map { |value| "#{key}\t#{value}\n" } }.join
      end
    end
  end
end
