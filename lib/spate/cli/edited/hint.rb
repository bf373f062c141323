# frozen_string_literal: true

module Spate
  module CLI
    class Edited
      # What somebody may want to do about edits that share all but their places.
      class Hint
        # found: the facts of each.
        def initialize(found)
          @found = found
          @facts = found.first
        end

        def to_s
          case @facts[:kind].to_sym
          when :healed then "made here? #{again}"
          when :in_place then in_place
          else pristine
          end
        end

        private

        def in_place
          return "`spate install` fetches its archive and heals the store" if @facts[:archive]
          return "made in #{@facts[:healed].first}? #{again(" there")}" if taken?
          return "`spate install --copy` gives a bundle files of its own" unless one_gem?

          "`spate edit #{gem_name}` gives this bundle files of its own, for editing"
        end

        # Whether the user of another project may miss it.
        def taken? = !@facts[:certain] && !@facts[:healed].empty?

        def pristine
          return "`bundle pristine` brings the packages' modes back" unless one_gem?

          "`bundle pristine #{gem_name}` brings the package's #{@found.one? ? "file" : "files"} back"
        end

        def again(there = nil)
          own = one_gem? ? "`spate edit #{gem_name}`#{there}" : "`spate install --copy`#{there}"
          "#{own}, then #{@facts[:mode_only] ? "change modes again" : "`#{copy}`"}"
        end

        def copy
          file = @facts[:healed_at].first
          return "cp #{@facts[:saved_at]} #{file}" if @found.one?

          "cp -r #{Edited.folders(@found).first}/. #{file.delete_suffix(@facts[:path])}"
        end

        def one_gem? = @found.map { |facts| facts[:name] }.uniq.one?

        # "rack-3.0.0" -> "rack"
        def gem_name = @facts[:name].to_s.sub(/-\d[^-]*(-.*)?\z/, "")
      end
    end
  end
end
