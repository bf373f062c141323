# frozen_string_literal: true

module Spate
  module Images
    class Builder
      # Builds in a child and waits for it: for callers that need the images now.
      class Child
        # env: the user's. See ApplicationBuild for the rest.
        def initialize(location, images:, env: ENV, jobs: nil, exclude: [], team: false)
          @env = Util::Environment.clean(env).except("SPATE_LOG")
          @arguments = Boot::Background::BuilderArguments.for(
            location, images, renew: true, jobs: jobs, exclude: exclude, team: team, report: Util::Child::REPORT
          )
        end

        # Yields events (:image, :warning). Answers the Report's Hash; nil if the child died.
        def call
          command = [*Boot::Background::RubyOptions.current, Boot::Background::SCRIPT, *@arguments]
          Util::Child.run(@env, *command, out: :err, chdir: "/") do |child|
            done = nil
            child.each { |event| event[:event] == :boot_images ? done = event.except(:event) : yield(event) }
            done
          end
        end
      end
    end
  end
end
