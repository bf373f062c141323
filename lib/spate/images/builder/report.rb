# frozen_string_literal: true

module Spate
  module Images
    class Builder
      # The result of one build. busy: another builder was at work for this application, so nothing was done; built,
      # reused, empty: gems; compiled, copied, warned, failed: files; bytes: of the images written; boot, overlay:
      # whether those were written; removed: images that Prune removed; cpu, seconds: processor time of the children,
      # wall time.
      Report = Struct.new(:busy, :built, :reused, :empty, :compiled, :copied, :warned, :failed, :bytes, :boot, :overlay,
                          :removed, :cpu, :seconds, :warnings, keyword_init: true) do
        def initialize(busy: false)
          super(busy: busy, boot: false, overlay: false, cpu: 0.0, seconds: 0.0, warnings: [],
                **%i[built reused empty compiled copied warned failed bytes removed].to_h { |name| [name, 0] })
        end

        def gem(result)
          self.built += 1 if result.ok?
          count(result)
        end

        # name: :boot or :overlay
        def image(name, result)
          self[name] = result.ok?
          count(result)
        end

        def to_h = super.merge(cpu: cpu.round(3), seconds: seconds.round(3))

        private

        def count(result)
          %i[compiled copied warned failed bytes].each { |name| self[name] += result[name] }
        end
      end
    end
  end
end
