# frozen_string_literal: true

# Loaded by the program under `spate exec` (-r) and by its Ruby child processes (RUBYOPT), so it must work on any Ruby
# version. `bundle` itself loads Bundler's file. The comparison of Rubies ignores the JIT (Util::Ruby::JIT).

# SPATE_NODE_MODULES, set by `spate exec`, applies only to the folder that it names. Bundler's original environment must
# not include it.
modules = ENV.delete("SPATE_NODE_MODULES")
ENV.delete("SKIP_YARN_INSTALL") if modules

if ENV["SPATE_RUBY"] == RUBY_DESCRIPTION.gsub(/ \+[A-Z]?JIT(?: (?:dev|dev_nodebug|stats))*(?= )/, "") &&
   ENV["SPATE_BOOT"] != "0" && ENV["RUBY_BOX"] != "1" &&
   File.basename($0) !~ /\Abundler?\z/
  ENV["BUNDLER_SETUP"] &&= ENV["SPATE_BUNDLER_SETUP"]
  # Bundler's original environment must not include the variable. Children.take_over sets it again.
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
