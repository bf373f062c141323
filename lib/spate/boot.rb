# frozen_string_literal: true

# `require "spate/boot"`, at the top of config/boot.rb: the program boots with Spate from here on. `spate exec` does the
# same before it loads the program.
require_relative "boot/entry"
Spate::Boot.start(caller_locations.find { |frame| !frame.path.start_with?("<internal:") }&.absolute_path)
