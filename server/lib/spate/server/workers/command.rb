# frozen_string_literal: true

require "rbconfig"

module Spate
  module Server
    module Workers
      # The command line of this program, used to start the program again.
      class Command
        attr_reader :words, :folder

        # program: the path of the Ruby program.
        def initialize(program, argv, env, ruby: RbConfig.ruby)
          @words = [ruby, File.expand_path(program), *argv]
          @folder = folder_of(env)
        end

        private

        # Returns the current folder as the shell spells it, because a symlink in the path may lead to a new release
        # after a restart.
        def folder_of(env)
          spelled = env["PWD"].to_s
          spelled.start_with?("/") && File.identical?(spelled, ".") ? spelled : Dir.pwd
        end
      end
    end
  end
end
