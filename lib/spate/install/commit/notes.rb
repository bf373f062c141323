# frozen_string_literal: true

module Spate
  module Install
    module Commit
      # What an install leaves for the next one in the bundle's record, besides the trees: `key<TAB>value` lines.
      #
      # git:: names of checkouts that are complete
      # unfit:: full names of packages that do not fit this Ruby or RubyGems
      # verdict:: under which key the store has what Bundler said of the Gemfile
      # built:: of each build in a checkout the checkout's name and, behind a blank, the build's in the store
      Notes = Struct.new(:git, :unfit, :verdict, :built) do
        def self.parse(text)
          notes = new([], [], [], [])
          text.to_s.each_line(chomp: true) do |line|
            key, value = line.split("\t", 2)
            notes[key] << value if value && members.include?(key.to_sym)
          end
          notes
        end

        # lines: of checkouts that were built in just now; of others that are still there the former ones stay.
        def keep_built(lines)
          anew = lines.map { |line| line[/\S+/] }
          self.built = lines + built.select { |line| (git - anew).include?(line[/\S+/]) }
        end

        def to_s = members.flat_map { |key| self[key].map { |value| "#{key}\t#{value}\n" } }.join
      end
    end
  end
end
