#!/usr/bin/env ruby
# frozen_string_literal: true

# Prints facts about the native files of this system and Ruby as JSON. Runs where they are compiled.

require "json"
require "rbconfig"

libc = RbConfig::CONFIG["arch"].include?("musl") ? "musl" : "gnu"
puts JSON.generate("ruby" => RUBY_VERSION, "abi" => RUBY_VERSION[/\A\d+\.\d+/],
                   "platform" => "#{RbConfig::CONFIG["target_cpu"]}-linux-#{libc}",
                   "libdeflate" => `pkg-config --modversion libdeflate`.strip)
