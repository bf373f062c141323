# frozen_string_literal: true

# `require "spate/boot"`, at the top of config/boot.rb: from here on the program boots with Spate. `spate exec` requires
# this file before it loads the program.
require_relative "boot/entry"
Spate::Boot.start(caller_locations.find { |frame| !frame.path.start_with?("<internal:") }&.absolute_path)
