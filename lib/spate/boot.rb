# frozen_string_literal: true

# Boots the program with Spate: add `require "spate/boot"` at the top of config/boot.rb. `spate exec` requires this file
# before it loads the program.
require_relative "boot/entry"
Spate::Boot.start(caller_locations.find { |frame| !frame.path.start_with?("<internal:") }&.absolute_path)
