# frozen_string_literal: true

module Spate
  module CLI
    class Command
      # One option of a command, declared once for the parser and the help.
      #
      # key          e.g. :jobs, under which the value is found
      # names        e.g. ["-j", "--jobs"]
      # argument     e.g. "N"; nil for a switch
      # kind         :switch, :string, :integer, :count (at least 1) or :list (words up to the next option, also
      #              split at ":" and ",")
      # description  one line
      Option = Struct.new(:key, :names, :argument, :kind, :description, keyword_init: true) do
        # "--[no-]color" matches both spellings.
        def spellings
          names.flat_map { |name| name.start_with?("--[no-]") ? ["--#{name[7..]}", "--no-#{name[7..]}"] : [name] }
        end

        def switch? = kind == :switch

        # "-j, --jobs N"
        def usage = [names.join(", "), argument].compact.join(" ")
      end
    end
  end
end
