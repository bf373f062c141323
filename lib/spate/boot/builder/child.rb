# frozen_string_literal: true

module Spate
  module Boot
    class Builder
      # Builds in a child and waits: for whoever wants the images now, from whatever process.
      class Child
        SCRIPT = "#{__dir__}/build_script.rb".freeze
        REPORT = 3

        # env: the user's. See Project for the rest.
        def initialize(location, images:, env: ENV, jobs: nil, exclude: [])
          @location = location
          @images = images
          @env = Ground::Environment.clean(env).except("SPATE_LOG")
          @words = Words.for(location, images, renew: true, jobs: jobs, exclude: exclude, report: REPORT)
        end

        # Yields events (:image, :warning). Answers the Report's Hash; nil where the child died.
        def call
          report, report_end = IO.pipe(binmode: true)
          pid = Process.spawn(@env, Layout::Ruby.path, *Compiler::RubyOptions.current, SCRIPT, *@words,
                              in: File::NULL, out: :err, REPORT => report_end, chdir: "/", close_others: true,
                              unsetenv_others: true)
          report_end.close
          done = nil
          each_event(report) { |event| event[:event] == :boot_images ? done = event.except(:event) : yield(event) }
          done
        ensure
          Process.wait(pid) if pid
          report&.close
        end

        private

        def each_event(report)
          loop { yield Marshal.load(report) } # rubocop:disable Security/MarshalLoad -- of a child of our own
        rescue EOFError, TypeError, ArgumentError
          nil
        end
      end
    end
  end
end
