# frozen_string_literal: true

# Loaded by Ruby programs that a program under `spate exec` starts (RUBYOPT), and by the program itself (-r), so any
# Ruby of any version reads it. Bundler's own program gets the real file. With a JIT it is the same Ruby
# (Util::Ruby::JIT).

# The variable of `spate exec` for a folder's node_modules applies to that folder only, and is not part of the
# environment before the bundle.
modules = ENV.delete("SPATE_NODE_MODULES")
ENV.delete("SKIP_YARN_INSTALL") if modules

if ENV["SPATE_RUBY"] == RUBY_DESCRIPTION.gsub(/ \+[A-Z]?JIT(?: (?:dev|dev_nodebug|stats))*(?= )/, "") &&
   ENV["SPATE_BOOT"] != "0" && ENV["RUBY_BOX"] != "1" &&
   File.basename($0) !~ /\Abundler?\z/
  ENV["BUNDLER_SETUP"] &&= ENV["SPATE_BUNDLER_SETUP"]
  # The environment before the bundle does not have it; Children.take_over puts it back.
  ENV.delete("SPATE_RUBY")
  require File.expand_path("../../../entry", File.dirname(__FILE__))
  Spate::Boot.start(nil, **{ program: :ruby })
elsif ENV["SPATE_BUNDLER_SETUP"]
  require ENV["SPATE_BUNDLER_SETUP"]
else
  require "bundler/setup"
end

if modules && File.identical?(modules, ".")
  ENV["SKIP_YARN_INSTALL"] = "1"
  ENV["SPATE_NODE_MODULES"] = modules
end
