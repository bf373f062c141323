# frozen_string_literal: true

# `require "spate/boot"`: the program that says so boots from here on with Spate. Meant for the top of config/boot.rb;
# `spate exec` does the same before the program is loaded.
require_relative "boot/room"
Spate::Boot.start(caller_locations.find { |frame| !frame.path.start_with?("<internal:") }&.absolute_path)
