# frozen_string_literal: true

module Spate
  module Resolve
    # Three-way merge of lockfiles, gem by gem. The result may be inconsistent. Bundler resolves again and prefers its
    # versions.
    class Merge
      # Sections with gems. Other lines in these sections are options.
      SOURCES = %w[GEM GIT PATH].freeze
      GEM = /\A {4}(\S+) \(/
      VERSION = /\A {4}\S+ \(([^()-]+)/

      # A gem that was changed differently on both sides. ours, theirs: versions, or nil if removed. taken: the chosen
      # version.
      Clash = Struct.new(:name, :ours, :theirs, :taken) do
        def to_s = "#{name}: #{ours || "removed"} here, #{theirs || "removed"} there; #{taken || "removed"} taken"
      end

      # base, ours, theirs: texts of the lockfiles.
      def initialize(base, ours, theirs)
        @base, @ours, @theirs = [base, ours, theirs].map { |text| Sections.new(text.gsub("\r\n", "\n")) }
        @clashes = []
      end

      # [Clash], filled by #text.
      attr_reader :clashes

      def text
        @clashes.clear
        heads = three_way(@base.heads, @ours.heads, @theirs.heads).sort_by { |head| order(head) }
        parts = heads.map { |head| SOURCES.include?(head[/\A\w+/]) ? source(head) : plain(head) }
        parts.compact.join("\n")
      end

      private

      # The sort key of a section: sources first, then the order of our side, then that of theirs.
      def order(head)
        known = @ours.heads | @theirs.heads
        [SOURCES.include?(head[/\A\w+/]) ? 0 : 1, known.index(head)]
      end

      def source(head)
        all = [@base, @ours, @theirs].map { |side| side.gems(head) }
        names = all.flat_map(&:keys).uniq.sort
        blocks = names.filter_map { |name| gem(name, *all.map { |gems| gems[name] }) }
        options = pick(*[@base, @ours, @theirs].map { |side| side.options(head) })
        "#{options}#{blocks.join}"
      end

      def gem(name, base, ours, theirs)
        taken = pick(base, ours, theirs) { newer(ours, theirs) }
        clashed = ours != theirs && ours != base && theirs != base
        @clashes << Clash.new(name, *[ours, theirs, taken].map { |block| block && block[VERSION, 1] }) if clashed
        taken
      end

      def newer(ours, theirs)
        [ours, theirs].compact.max_by { |block| GemVersion.new(block[VERSION, 1]) }
      end

      def plain(head)
        sides = [@base, @ours, @theirs].map { |side| side.lines(head) }
        return pick(*sides.map { |lines| [head, *lines].join }) if head.match?(/\A(?:BUNDLED WITH|RUBY VERSION)/)

        [head, *three_way(*sides).sort].join
      end

      # The side that changed. If both did, the block's value or, without a block, ours.
      def pick(base, ours, theirs)
        return theirs if ours == base
        return ours if theirs == base || ours == theirs

        block_given? ? yield : ours
      end

      # Merges lists: members that both sides have, or that one side added.
      def three_way(base, ours, theirs)
        (ours | theirs).select { |one| (ours.include?(one) && theirs.include?(one)) || !base.include?(one) }
      end

      # The sections of a lockfile's text. A source is identified by its header and its first option, the address.
      class Sections
        def initialize(text)
          @sections = text.split(/\n(?=\S)/).to_h do |section|
            lines = section.chomp.lines.map { |line| "#{line.chomp}\n" }.reject { |line| line.strip.empty? }
            size = SOURCES.include?(lines.first.to_s.chomp) ? 2 : 1
            [lines.first(size).join, lines.drop(size)]
          end
          @sections.delete("")
        end

        def heads = @sections.keys
        def lines(head) = @sections.fetch(head, [])

        # The header and the options as text, or nil if the source does not exist.
        def options(head)
          [head, *lines(head).take_while { |line| !line.match?(GEM) }].join if @sections.key?(head)
        end

        # { name => lines of all its variants }
        def gems(head)
          current = nil
          lines(head).each_with_object({}) do |line, gems|
            current = line[GEM, 1] || current
            gems[current] = "#{gems[current]}#{line}" if current && line.match?(/\A {4}/)
          end
        end
      end
      private_constant :Sections
    end
  end
end
