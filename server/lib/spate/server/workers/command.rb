# frozen_string_literal: true

require "rbconfig"

module Spate
  module Server
    module Workers
      # How this program was started, to start it again.
      class Command
        attr_reader :words, :folder

        # program: the path of what Ruby runs.
        def initialize(program, argv, env, ruby: RbConfig.ruby)
          @words = [ruby, File.expand_path(program), *argv]
          @folder = folder_of(env)
        end

        private

        # As the shell spelled it: through a symlink that is to lead to a new release by then.
        def folder_of(env)
          spelled = env["PWD"].to_s
          spelled.start_with?("/") && File.identical?(spelled, ".") ? spelled : Dir.pwd
        end
      end
    end
  end
end
