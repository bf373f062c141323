# frozen_string_literal: true

# Starts Bundler as `bundle` does, in the lockfile's version if that is installed. Exits on SIGINT until Bundler
# installs its signal handler, because there is nothing to clean up yet.
Signal.trap("INT") { exit!(130) }
GC.disable if ENV.key?("SPATE_RESOLVE")
require "rubygems"

begin
  program = Gem.activate_bin_path("bundler", "bundle", ">= 0.a")
rescue Gem::GemNotFoundException, Gem::LoadError
  # The version required by BUNDLER_VERSION or the lockfile is not installed.
  ENV.delete("BUNDLER_VERSION")
  bundler = Gem::Specification.find_all_by_name("bundler").max_by(&:version)
  abort "Bundler is not installed" unless bundler
  bundler.activate
  program = bundler.bin_file("bundle")
end

begin
  library = File.expand_path("../../lib/bundler.rb", program)
  require File.file?(library) ? library : "bundler"
  # Loads the UI now, because Bundler's Ctrl-C handler uses it and cannot load files.
  Bundler.ui
  # Bundler prints the name of the running program in its messages.
  Bundler::Thor::Base::ClassMethods.prepend(Module.new { def basename = "bundle" })
rescue LoadError, NameError
  nil
end
if (resolve = ENV.delete("SPATE_RESOLVE")) && defined?(Bundler::SharedHelpers)
  require resolve
end
# As in RubyGems' script for `bundle`. Newer RubyGems versions load the program themselves, in a separate box.
if Gem.respond_to?(:activate_and_load_bin_path)
  Gem.activate_and_load_bin_path("bundler", "bundle", ">= 0.a")
else
  load program
end
