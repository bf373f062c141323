# frozen_string_literal: true

module Spate
  module Images
    class Builder
      # Builds in a child and waits for it: for anyone who wants the images now, in whatever process.
      class Child
        REPORT = 3

        # env: the user's. See ApplicationBuild for the rest.
        def initialize(location, images:, env: ENV, jobs: nil, exclude: [])
          @env = Ground::Environment.clean(env).except("SPATE_LOG")
          @arguments = Boot::Background::BuilderArguments.for(location, images, renew: true, jobs: jobs,
                                                                                exclude: exclude, report: REPORT)
        end

        # Yields events (:image, :warning). Answers the Report's Hash; nil if the child died.
        def call
          report, report_end = IO.pipe(binmode: true)
          pid = Process.spawn(@env, Ground::Ruby.path, *Boot::Background::RubyOptions.current, Boot::Background::SCRIPT,
                              *@arguments, in: File::NULL, out: :err, REPORT => report_end, chdir: "/",
                                           close_others: true, unsetenv_others: true)
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
          loop { yield Marshal.load(report) } # rubocop:disable Security/MarshalLoad -- from a child of our own
        rescue EOFError, TypeError, ArgumentError
          nil
        end
      end
    end
  end
end
