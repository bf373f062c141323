# frozen_string_literal: true

module Spate
  module Server
    module Profile
      module Engine
        # Samples of the process's CPU time through Ruby's own interface, see ext/profile/profile.h.
        class BuiltIn
          # Seconds between two times that the ring is emptied; it holds half a second and more.
          PAUSE = 0.1
          # Samples that are kept: a quarter of an hour of CPU time with a tick of 1 ms; 32 MB.
          LIMIT = 1_000_000

          # LoadError where the extension was not built.
          def initialize
            require "spate/server/native/profile"
            @threads = {}
          end

          def name = "own"
          def mode = "cpu"

          def start(interval)
            Native.start(interval, LIMIT)
            @ends = TracePoint.new(:thread_end) { note(Thread.current) }.tap(&:enable)
            @drainer = Thread.new { drain while sleep(PAUSE) }
            @drainer.name = "spate-profile"
          end

          def stop(facts)
            @drainer&.kill&.join
            @ends&.disable
            note_threads
            taken = Native.stop
            more = { "threads" => @threads, "missed" => taken[:missed], "dropped" => taken[:dropped] }
            Recording.new(frames: frames(taken[:frames]), tree: Tree.new(taken[:nodes]), samples: taken[:samples],
                          facts: facts.merge(more))
          end

          def forget
            @ends&.disable
            Native.forget
          end

          private

          def drain
            note_threads
            Native.drain
          end

          # A thread's name is known as long as it lives; one that ends between two drains is noted at its end.
          def note_threads = Thread.list.each { |thread| note(thread) }

          def note(thread)
            number = thread.native_thread_id or return
            @threads[number.to_s] = thread == Thread.main ? "main" : thread.name.to_s
          end

          def frames(told)
            own = [Recording::GC, Recording::FOREIGN].map { |name| Recording::Frame.new(name, nil, nil) }
            own + told.map do |name, path, line|
              Recording::Frame.new(text(name || "(unnamed)"), path && text(path), line)
            end
          end

          # Methods may have any bytes as their names.
          def text(bytes) = bytes.dup.force_encoding(Encoding::UTF_8).scrub("?")
        end
      end
    end
  end
end
