# frozen_string_literal: true

module Spate
  module CLI
    module Output
      # A message about files of installed gems that differ from their packages. Many files with the same difference are
      # reported in one message, for example after `chmod -R`.
      class EditedFiles
        # [singular, plural]
        WORDS = {
          shared: ["was changed in place", "were changed in place"], changed: ["was changed", "were changed"],
          owned: ["is owned by user %s", "are owned by user %s"],
          missing: ["is missing", "are missing"], restored: ["was missing, now restored", "were missing, now restored"],
          type: ["has another file type", "have other file types"]
        }.freeze
        # Up to FEW files are reported separately. A message about more files lists NAMED of them.
        FEW = 10
        NAMED = 3
        SHARED = %i[kind owner mode_only settled reason].freeze

        class << self
          # Returns [EditedFiles]. edits: [Spate::Store::Edits::Edit], or their facts from events.
          def group(edits, few: FEW)
            edits.map(&:to_h).group_by { |facts| key(facts) }.flat_map do |_, found|
              found.size > few ? [new(found)] : found.map { |facts| new([facts]) }
            end
          end

          def print(edits, terminal)
            few = terminal.verbose? ? edits.size : FEW
            group(edits, few: few).each { |edited| terminal.warning(edited.message, hint: edited.hint) }
          end

          private

          # Groups changed modes across gems, because modes are often changed in many gems at once.
          def key(facts) = [*facts.values_at(*SHARED), shared?(facts), (facts[:name] unless facts[:mode_only])]
          def shared?(facts) = facts[:links] > 1
        end

        # found: [facts of a file]
        def initialize(found)
          @found = found
          @facts = found.first
          @kind = @facts[:kind].to_sym
          @settled = @facts[:settled]&.to_sym
        end

        # "rack-3.0.0: lib/rack.rb was changed in place, and is shared with 2 other projects"
        # "the modes of 2108 files in 32 gems were changed"
        def message = [[*owner, "#{subject} #{difference}#{sharers}"].join(": "), *outcome].join("; ")

        def hint
          return if @settled == :restored
          return "`spate install` restores #{many? ? "them" : "it"}" if @kind == :missing && @facts[:reason].nil?

          keep = "`spate install` keeps #{many? ? "them" : "it"} in this bundle only, " if shared? && @settled.nil?
          "#{keep}`spate restore #{names.one? ? gem_name : "--all"}` restores " \
            "#{names.one? ? "the package's #{words("file", "files")}" : "the packages' files"}"
        end

        private

        def many? = @found.size > 1
        def words(one, many) = many? ? many : one
        def names = @names ||= @found.map { |facts| facts[:name] }.uniq
        # The gem's full name, or nil if the files belong to several gems.
        def owner = (@facts[:name] if names.one?)
        # "rack-3.0.0" -> "rack"
        def gem_name = @facts[:name].to_s.sub(/-\d[^-]*(-.*)?\z/, "")

        def subject
          modes = words("the mode of ", "the modes of ") if state != :owned && @facts[:mode_only]
          return "#{modes}#{@facts[:path]}" unless many?

          where = names.one? ? examples : "in #{Units.count(names.size, "gem")}"
          "#{modes}#{Units.count(@found.size, "file")} #{where}"
        end

        def examples
          "(#{@found.first(NAMED).map { |facts| facts[:path] }.join(", ")} and #{@found.size - NAMED} more)"
        end

        def state
          return :restored if @settled == :restored
          return :owned if @facts[:owner] && @facts[:mode_only]

          shared? ? :shared : @kind
        end

        def shared? = @kind == :changed && @facts[:links] > 1
        def difference = format(words(*WORDS.fetch(state)), @facts[:owner])

        def sharers
          ", and #{words("is", "are")} shared with #{others.join(" and ")}" if shared? && others.any?
        end

        def others
          projects, unknown = %i[projects unknown_links].map { |name| @found.map { |facts| facts[name] }.max }
          [*(Units.count(projects, "other project") if projects.positive?),
           *("#{Units.count(unknown, "more name")} unknown to the store" if unknown.positive?)]
        end

        def outcome
          return [@facts[:reason]].compact unless @settled == :parted

          [words("it is kept with the change, as a separate file of this bundle",
                 "they are kept with the changes, as separate files of this bundle")]
        end
      end

      # A message about a gem that is being edited (`spate edit`).
      class EditedGem
        # own_copy: Install::Check::OwnCopies::OwnCopy.
        def initialize(own_copy)
          @own_copy = own_copy
        end

        # "rack-3.0.0 is being edited: 2 files changed"
        def message = Util::Terminal.plain("#{@own_copy.name} is being edited: #{changes}")

        def changes
          files = @own_copy.files or return "its package is not in the store, so changes are unknown"

          files.zero? ? "no file changed" : "#{Units.count(files, "file")} changed"
        end
      end
    end
  end
end
