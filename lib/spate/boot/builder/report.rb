# frozen_string_literal: true

module Spate
  module Boot
    class Builder
      # What one build did. built, reused, empty: gems; compiled, copied, warned, failed: files; bytes: of the images
      # written; boot, overlay: whether those were written; cpu, seconds: processor time of the children, wall time.
      class Report
        attr_accessor :reused, :empty, :cpu, :seconds, :busy
        attr_reader :built, :compiled, :copied, :warned, :failed, :bytes, :boot, :overlay, :warnings, :removed

        def initialize(busy: false)
          @built = @reused = @empty = @compiled = @copied = @warned = @failed = @bytes = @removed = 0
          @cpu = @seconds = 0.0
          @boot = @overlay = false
          @busy = busy
          @warnings = []
        end

        # Whether another builder was at work on this application: then nothing was done.
        def busy? = @busy

        def gem(result)
          @built += 1 if result.ok?
          count(result)
        end

        # name: :boot or :overlay
        def image(name, result)
          name == :boot ? @boot = result.ok? : @overlay = result.ok?
          count(result)
        end

        # paths: images that Tidy removed.
        def tidied(paths) = @removed += paths.size

        def to_h
          { busy: busy, built: built, reused: reused, empty: empty, compiled: compiled, copied: copied, warned: warned,
            failed: failed, bytes: bytes, boot: boot, overlay: overlay, removed: removed, cpu: cpu.round(3),
            seconds: seconds.round(3), warnings: warnings }
        end

        private

        def count(result)
          @compiled += result.compiled
          @copied += result.copied
          @warned += result.warned
          @failed += result.failed
          @bytes += result.bytes
        end
      end
    end
  end
end
