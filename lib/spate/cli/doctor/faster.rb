# frozen_string_literal: true

module Spate
  module CLI
    class Doctor
      # Searches the application's boot log for a way to boot faster: earlier boots of the same program on this machine
      # that took less time, with other parts active or other use of compile caches.
      class Faster
        # Parts that a user can turn on. The others depend on past boots, or on libraries.
        PARTS = %w[compile_cache loader lean replay load_path_cache yaml].freeze
        SWITCHES = { "loader" => "SPATE_NO_BUNDLE", "load_path_cache" => "SPATE_NO_LOAD_PATH_CACHE",
                     "replay" => "SPATE_NO_REPLAY", "yaml" => "SPATE_NO_YAML" }.freeze
        SET_UP = ::Spate::CompileCache::Status::Inactive::SET_UP
        # How many boots of each way are compared at most, and at least.
        BOOTS = 10
        LEAST = 2
        # Smaller differences may be chance. In seconds, and as a share of the slower time.
        SECONDS = 0.05
        SHARE = 0.05

        # kind: "rails server". now, possible: medians in seconds. boots: [number of faster boots, of current ones].
        # how: what to do.
        Advice = Struct.new(:kind, :now, :possible, :boots, :how, keyword_init: true) do
          def to_s
            "#{kind} would boot in #{Units.seconds(possible)} instead of #{Units.seconds(now)} " \
              "(medians of #{boots.join(" and ")} boots): #{how}"
          end
        end

        # lines: [Boot::BootLog::Line], oldest first.
        def initialize(lines)
          @lines = lines
        end

        # Returns the Advice that would have saved the most time in the logged boots, or nil.
        def advice
          all = @lines.group_by(&:kind).filter_map { |kind, boots| of_kind(kind, boots) }
          all.max_by { |advice| (advice.now - advice.possible) * advice.boots.last }
        end

        private

        def of_kind(kind, boots)
          ways = boots.group_by { |boot| way(boot) }.transform_values { |all| all.last(BOOTS) }
          now = ways.delete(way(boots.last))
          other = ways.values.select { |all| faster?(all, now) }.min_by { |all| median(all, :wall) } or return

          Advice.new(kind: kind, now: median(now, :wall), possible: median(other, :wall),
                     boots: [other.size, now.size], how: how(now.last, other.last))
        end

        # Boots of one way have the same active parts and the same level of files from compile caches.
        def way(boot) = [level(boot), PARTS & boot.parts.keys]

        def level(boot)
          return :with if boot.share >= ::Spate::Boot::BootLog::WITH

          boot.share < ::Spate::Boot::BootLog::WITHOUT ? :without : :partly
        end

        # Whether these boots took less time, and also less CPU time, which other programs do not change much.
        def faster?(boots, now)
          return false if [boots, now].any? { |all| all.size < LEAST }

          %i[wall cpu].all? do |time|
            saved = median(now, time) - median(boots, time)
            saved >= SECONDS && saved >= median(now, time) * SHARE
          end
        end

        def median(boots, time) = ::Spate::Boot::BootLog.median(boots.map(&time))

        def how(now, other)
          part, reason = now.parts.slice(*PARTS).find { |name, _| !other.parts.key?(name) }
          return "spate boot build" if part.nil? || part == "compile_cache"
          return "start it with `spate exec`" if part == "lean" || reason == SET_UP
          return "unset #{SWITCHES.fetch(part)}" if reason == "turned off"

          "#{"spate boot build; " if part == "replay"}#{part} was not used: #{reason}"
        end
      end
    end
  end
end
