# frozen_string_literal: true

# For Ruby programs that a program under `spate exec` starts (RUBYOPT), and for those that it is (-r). Any Ruby of any
# version reads this.
# Bundler itself gets the real thing. A JIT makes no other Ruby (RubyKey::JIT).
if ENV["SPATE_RUBY"] == RUBY_DESCRIPTION.gsub(/ \+[A-Z]?JIT(?: (?:dev|dev_nodebug|stats))*(?= )/, "") &&
   ENV["SPATE_BOOT"] != "0" && ENV["RUBY_BOX"] != "1" &&
   File.basename($0) !~ /\Abundler?\z/
  ENV["BUNDLER_SETUP"] &&= ENV["SPATE_BUNDLER_SETUP"]
  # What this program's environment was before the bundle does not have it; Children.take_over puts it back.
  ENV.delete("SPATE_RUBY")
  require File.expand_path("../../room", File.dirname(__FILE__))
  Spate::Boot.start(nil, **{ program: :ruby })
elsif ENV["SPATE_BUNDLER_SETUP"]
  require ENV["SPATE_BUNDLER_SETUP"]
else
  require "bundler/setup"
end
