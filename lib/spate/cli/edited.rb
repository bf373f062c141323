# frozen_string_literal: true

module Spate
  module CLI
    # A file of an installed gem that is not as its package has it, told.
    class Edited
      WORDS = {
        in_place: "was changed in place", replaced: "was replaced", missing: "is missing",
        type: "is no longer the kind of file it was"
      }.freeze

      # edit: Spate::Store::Edits::Edit, or its facts as an event carries them.
      def initialize(edit)
        @facts = edit.to_h
      end

      def tell(terminal)
        terminal.warning(message, hint: hint)
      end

      # "rack-3.0.0: lib/rack.rb was changed in place; the edit stays, the store and 1 other project are healed"
      def message
        ["#{@facts[:name] || "the store"}: #{@facts[:path]} #{WORDS.fetch(@facts[:kind].to_sym, "was changed")}",
         outcome].compact.join("; ")
      end

      def hint
        return "`spate install` fetches its archive and heals the store" if @facts[:archive]
        return "`spate edit #{gem_name}` gives this bundle files of its own, for editing" if in_place?

        "`bundle pristine #{gem_name}` brings the package's file back"
      end

      private

      def in_place? = @facts[:kind].to_sym == :in_place

      def outcome
        return unless in_place?
        return "the store cannot be healed yet" if @facts[:archive]

        others = Array(@facts[:healed]).length
        places = Array(@facts[:kept_at])
        "the edit stays#{" (#{places.join(", ")})" unless places.empty?}, " +
          (others.zero? ? "the store is healed" : "the store and #{Units.count(others, "other project")} are healed")
      end

      # "rack-3.0.0" -> "rack"
      def gem_name = @facts[:name].to_s.sub(/-\d[^-]*(-.*)?\z/, "")
    end
  end
end
