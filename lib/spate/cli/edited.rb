# frozen_string_literal: true

module Spate
  module CLI
    # A file of an installed gem that is not as its package has it, told.
    class Edited
      WORDS = {
        in_place: "was changed in place", healed: "was changed in place", replaced: "was replaced",
        missing: "is missing", type: "is no longer the kind of file it was"
      }.freeze

      class << self
        # edits: [Spate::Store::Edits::Edit], or their facts as events carry them.
        def tell(edits, terminal, store)
          edits.each { |edit| new(edit).tell(terminal) }
          told(edits, store) unless terminal.quiet?
        end

        # What another project's command did to this one is told once.
        def told(edits, store)
          ::Spate::Store::Edits::News.new(store).told(edits)
        end
      end

      # edit: one of those.
      def initialize(edit)
        @facts = edit.to_h
        @kind = @facts[:kind].to_sym
      end

      def tell(terminal)
        terminal.warning(message, hint: hint)
      end

      # "rack-3.0.0: lib/rack.rb was changed in place, cannot tell where; the edit stays (/one/.../rack.rb), /two/...
      # and the store have the package's file again; a copy of the edit is /.../edits/20261122T134431Z-rack-3.0.0/..."
      def message
        ["#{@facts[:name] || "the store"}: #{@facts[:path]} #{WORDS.fetch(@kind, "was changed")}#{where}",
         *outcome].join("; ")
      end

      def hint
        case @kind
        when :healed then "made here? #{copy_back(@facts[:healed_at].first)}"
        when :in_place then in_place_hint
        else "`bundle pristine #{gem_name}` brings the package's file back"
        end
      end

      private

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
        places = @facts[:kept_at]
        ["the edit stays#{" (#{places.join(", ")})" unless places.empty?}", *healed].join(", ")
      end

      def given
        return "this bundle has the package's file again" if @facts[:certain]

        "#{@facts[:project_root]} keeps the edit, this bundle has the package's file again"
      end

      # A store that cannot be written is named by `left`.
      def healed
        return if @facts[:saved_at].nil?
        return "the store is healed" if @facts[:healed].empty?

        "#{@facts[:healed].join(", ")} and the store have the package's file again"
      end

      def left
        lines = @facts[:unhealed].map { |path, reason| "#{path} is not healed: #{reason}" }
        names = @facts[:unknown_links].to_i
        lines << "#{Units.count(names, "more name")} of the file in no bundle that the store knows" if names.positive?
        lines
      end

      # Needed where somebody may miss the edit.
      def copy
        return if @facts[:saved_at].nil? || (@facts[:certain] && @facts[:healed].empty?)

        "a copy of the edit is #{@facts[:saved_at]}"
      end

      def in_place_hint
        return "`spate install` fetches its archive and heals the store" if @facts[:archive]
        return "made in #{@facts[:healed].first}? #{copy_back(@facts[:healed_at].first, " there")}" if taken?

        "`spate edit #{gem_name}` gives this bundle files of its own, for editing"
      end

      # Whether the user of another project may miss it.
      def taken? = !@facts[:certain] && !@facts[:healed].empty?

      def copy_back(file, there = nil)
        "`spate edit #{gem_name}`#{there}, then `cp #{@facts[:saved_at]} #{file}`"
      end

      # "rack-3.0.0" -> "rack"
      def gem_name = @facts[:name].to_s.sub(/-\d[^-]*(-.*)?\z/, "")
    end
  end
end
