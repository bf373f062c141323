# frozen_string_literal: true

module Spate
  module Boot
    class WarmParent
      # The program of a command, such as bin/rails. The parent has loaded the application without it, so the program
      # must not change what the application sees while it is loaded.
      module Script
        RAILS = "bin/rails"
        OWN_RAILS = %r{\A#!/usr/bin/env ruby\n.*(?:APP|ENGINE)_PATH}m
        # A line that uses variables, or loads other files of the application than those that the parent loads first.
        EARLY = %r{\A(?!\s*\#).*(?:\bENV\b(?!\[["']BUNDLE_GEMFILE["']\])|\brequire\s*\(?["']dotenv|
                   \brequire_relative(?!\s*\(?["']\.\./config/(?:boot|application|environment)["']))}nx

        class << self
          def path(program) = own_rails?(program) ? RAILS : Exec::Program.find(program) || program

          # Whether the command is railties' `rails`, which would run the application's bin/rails in a new process.
          def own_rails?(program)
            program == "rails" && File.executable?(RAILS) && OWN_RAILS.match?(File.read(RAILS))
          end

          # Whether the program may have an effect on the application before it loads it.
          def early?(program)
            File.foreach(path(program), mode: "rb").any?(EARLY)
          rescue SystemCallError
            false # the command fails
          end
        end
      end
    end
  end
end
