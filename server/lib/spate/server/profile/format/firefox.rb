# frozen_string_literal: true

require "json"

module Spate
  module Server
    module Profile
      module Format
        # The "processed profile format" of the Firefox profiler (profiler.firefox.com), version 48, which every later
        # one upgrades: https://github.com/firefox-devtools/profiler/blob/main/docs-developer/CHANGELOG-formats.md.
        # Weights are milliseconds ("tracing-ms"), so its totals are times.
        class Firefox
          autoload :Reader, "spate/server/profile/format/firefox/reader"
          autoload :ThreadTables, "spate/server/profile/format/firefox/thread_tables"

          VERSION = 48
          # Of Gecko's format that VERSION was made from.
          GECKO_VERSION = 28
          # In the order of their numbers.
          CATEGORIES = { "Ruby" => "purple", "C" => "yellow", "Gems" => "lightblue", "Garbage collection" => "red",
                         "Without Ruby's lock" => "green", "Without Ruby" => "grey" }.freeze

          def self.write(recording, io)
            io.write(JSON.generate(new(recording).to_h))
          end

          def self.read(bytes, path)
            recording(JSON.parse(unpacked(bytes)), {}, path)
          rescue JSON::ParserError
            raise Unreadable.new(path, "is no JSON")
          end

          # told: a profile as JSON has it; one thread's tables each. facts: of Session, where they are known.
          def self.recording(told, facts, path = "vernier")
            Reader.new(told, facts, path).recording
          end

          # The profiler saves its files compressed.
          def self.unpacked(bytes)
            return bytes unless bytes.start_with?("\x1f\x8b".b)

            require "zlib"
            ::Zlib.gunzip(bytes)
          end
          private_class_method :unpacked

          def initialize(recording)
            @recording = recording
            @facts = recording.facts
          end

          def to_h
            { meta: meta, libs: [], pages: [], counters: [], threads: threads }
          end

          private

          def meta
            { interval: @recording.interval / 1000.0, startTime: (@facts["started"] || 0) * 1000.0, processType: 0,
              product: "spate-serve", stackwalk: 1, debug: false, version: GECKO_VERSION,
              preprocessedProfileVersion: VERSION, symbolicated: true, markerSchema: [],
              sourceCodeIsNotOnSearchfox: true, platform: @facts["ruby"],
              sampleUnits: { time: "ms", eventDelay: "ms", threadCPUDelta: "µs" },
              categories: CATEGORIES.map { |name, color| { name: name, color: color, subcategories: ["Other"] } },
              extra: [{ label: "Recording", entries: entries }], spate: @facts }.compact
          end

          def entries
            @facts.reject { |_, value| value.is_a?(Hash) || value.nil? }
                  .map { |name, value| { label: name, format: "string", value: value.to_s } }
          end

          # One at least: a recording without samples is a profile too.
          def threads
            groups = Hash.new { |hash, thread| hash[thread] = [] }
            @recording.each_sample { |at, weight, node, thread, kind| groups[thread] << [at, weight, node, kind] }
            groups[0] if groups.empty?
            start = @facts["monotonic"] ? @facts["monotonic"] * 1000 : (@recording.samples.first || 0) / 1000.0
            groups.map { |thread, samples| ThreadTables.new(@recording, thread, samples, start).to_h }
          end
        end
      end
    end
  end
end
