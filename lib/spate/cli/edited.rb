# frozen_string_literal: true

module Spate
  module CLI
    # Files of installed gems that are not as their packages have them, told: one, or many that share all but their
    # places. A `chmod -R` is one line, not one for each of ten thousand files.
    class Edited
      autoload :Hint, "spate/cli/edited/hint"

      # Of one, of many.
      WORDS = {
        in_place: ["was changed in place", "were changed in place"], replaced: ["was replaced", "were replaced"],
        missing: ["is missing", "are missing"],
        type: ["is no longer the kind of file it was", "are no longer the kind of files they were"],
        mode: ["was changed", "were changed"]
      }.freeze
      # So many are told one by one; so many of more are named.
      FEW = 10
      NAMED = 3
      SHARED = %i[kind project_root evidence certain unknown_links archive mode_only].freeze

      class << self
        # edits: [Spate::Store::Edits::Edit], or their facts as events carry them. [Edited]
        def group(edits, few: FEW)
          edits.map(&:to_h).group_by { |facts| key(facts) }.flat_map do |_, found|
            found.size > few ? [new(found)] : found.map { |facts| new([facts]) }
          end
        end

        def tell(edits, terminal, store)
          few = terminal.verbose? ? edits.size : FEW
          group(edits, few: few).each { |edited| terminal.warning(edited.message, hint: edited.hint) }
          told(edits, store) unless terminal.quiet?
        end

        # Of the copies of a gem's files.
        def folders(found)
          found.map { |facts| facts[:saved_at].delete_suffix("/#{facts[:path]}") }.uniq
        end

        # What another project's command did to this one is told once.
        def told(edits, store)
          ::Spate::Store::Edits::News.new(store).told(edits)
        end

        private

        # Modes are seldom changed in one gem alone.
        def key(facts)
          [*facts.values_at(*SHARED), facts[:unhealed].values.uniq,
           *(facts.values_at(:name, :healed) unless facts[:mode_only])]
        end
      end

      # found: the facts of each.
      def initialize(found)
        @found = found
        @facts = found.first
        @kind = @facts[:kind].to_sym
      end

      # "rack-3.0.0: lib/rack.rb was changed in place, cannot tell where; the edit stays (/one/.../rack.rb), /two/...
      # and the store have the package's file again; a copy of the edit is /.../edits/20261122T134431Z-rack-3.0.0/..."
      #
      # "the modes of 2108 files in 32 gems were changed in place; the edits stay, the store is healed"
      def message
        [[*owner, "#{subject} #{words(*state)}#{where}"].join(": "), *outcome].join("; ")
      end

      def hint = Hint.new(@found).to_s

      private

      def many? = @found.size > 1
      def words(one, many) = many? ? many : one
      def names = @names ||= @found.map { |facts| facts[:name] }.uniq

      # nil where several gems are told of at once.
      def owner = (@facts[:name] || "the store" if names.one?)

      def subject
        return @facts[:mode_only] ? "the mode of #{@facts[:path]}" : @facts[:path] unless many?

        files = "#{Units.count(@found.size, "file")} #{names.one? ? examples : "in #{Units.count(names.size, "gem")}"}"
        @facts[:mode_only] ? "the modes of #{files}" : files
      end

      def examples
        "(#{@found.first(NAMED).map { |facts| facts[:path] }.join(", ")} and #{@found.size - NAMED} more)"
      end

      def state
        kind = @kind == :healed ? :in_place : @kind
        WORDS.fetch(@facts[:mode_only] && kind == :replaced ? :mode : kind)
      end

      def where
        return unless %i[in_place healed].include?(@kind)
        return ", cannot tell where" unless @facts[:certain]

        " in #{@facts[:project_root]}" if @kind == :healed
      end

      def outcome
        case @kind
        when :in_place then @facts[:archive] ? ["the store cannot be healed yet"] : [settled, *left, *copy]
        when :healed then [given, *copy]
        else []
        end
      end

      def settled
        places = many? ? [] : @facts[:kept_at]
        ["#{words("the edit stays", "the edits stay")}#{" (#{places.join(", ")})" unless places.empty?}",
         *healed].join(", ")
      end

      def given
        again = "this bundle has #{right_files} again"
        @facts[:certain] ? again : "#{@facts[:project_root]} keeps the #{words("edit", "edits")}, #{again}"
      end

      def right_files = words("the package's file", names.one? ? "the package's files" : "the packages' files")

      # A store that cannot be written is named by `left`.
      def healed
        return if @facts[:saved_at].nil? && (!@facts[:mode_only] || @facts[:unhealed].any?)

        roots = @found.flat_map { |facts| facts[:healed] }.uniq
        return "the store is healed" if roots.empty?

        "#{[*roots.first(NAMED), *("#{roots.size - NAMED} more" if roots.size > NAMED)].join(", ")} " \
          "and the store have #{right_files} again"
      end

      def left
        lines = @facts[:unhealed].map { |path, reason| "#{path} is not healed: #{reason}" }
        number = @facts[:unknown_links].to_i
        return lines unless number.positive?

        file = words("the file", "each file")
        [*lines, "#{Units.count(number, "more name")} of #{file} in no bundle that the store knows"]
      end

      # Needed where somebody may miss the edit.
      def copy
        return if @facts[:saved_at].nil? || (@facts[:certain] && @facts[:healed].empty?)
        return "a copy of the edit is #{@facts[:saved_at]}" unless many?

        "copies of the edits are in #{Edited.folders(@found).join(", ")}"
      end
    end
  end
end
