# frozen_string_literal: true

# Loaded by Ruby programs that a program under `spate exec` starts (RUBYOPT), and by the program itself (-r), so it must
# work on any Ruby version. Bundler's own program loads the real file. A Ruby with another JIT setting counts as the
# same Ruby (Util::Ruby::JIT).

# The variable with which `spate exec` passes a folder's node_modules applies only to that folder. It is not part of the
# environment before the bundle.
modules = ENV.delete("SPATE_NODE_MODULES")
ENV.delete("SKIP_YARN_INSTALL") if modules

if ENV["SPATE_RUBY"] == RUBY_DESCRIPTION.gsub(/ \+[A-Z]?JIT(?: (?:dev|dev_nodebug|stats))*(?= )/, "") &&
   ENV["SPATE_BOOT"] != "0" && ENV["RUBY_BOX"] != "1" &&
   File.basename($0) !~ /\Abundler?\z/
  ENV["BUNDLER_SETUP"] &&= ENV["SPATE_BUNDLER_SETUP"]
  # The environment before the bundle must not have the variable; Children.take_over sets it again.
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
