# frozen_string_literal: true

module Spate
  module CLI
    # A file of an installed gem that was changed in place, told.
    class Edited
      # edit: what the installer or the checker found, with its facts as a Hash from to_h.
      def initialize(edit)
        @facts = edit.to_h
      end

      def tell(terminal)
        terminal.warning(message, hint: hint)
      end

      def message = [@facts[:name] || @facts[:full_name], ": ", @facts[:path], " was changed in place"].join

      def hint = "the change stays in this bundle only; `spate edit #{gem_name}` gives you a copy of your own"

      private

      def gem_name = (@facts[:name] || @facts[:full_name]).to_s.sub(/-\d.*\z/, "")
    end
  end
end
