# frozen_string_literal: true

# Starts Bundler as its own `bundle` does: the version that the lockfile names, where it is installed.
# Until Bundler has a handler of its own there is nothing to clean up, and nothing to tell.
Signal.trap("INT") { exit!(130) }
require "rubygems"

begin
  program = Gem.activate_bin_path("bundler", "bundle", ">= 0.a")
rescue Gem::GemNotFoundException, Gem::LoadError
  # The version that BUNDLER_VERSION or the lockfile insists on is not installed.
  ENV.delete("BUNDLER_VERSION")
  bundler = Gem::Specification.find_all_by_name("bundler").max_by(&:version)
  abort "Bundler is not installed" unless bundler
  bundler.activate
  program = bundler.bin_file("bundle")
end

begin
  library = File.expand_path("../../lib/bundler.rb", program)
  require File.file?(library) ? library : "bundler"
  # Its handler of Ctrl-C asks for this where nothing more can be loaded.
  Bundler.ui
  # Its messages name the program that runs.
  Bundler::Thor::Base::ClassMethods.prepend(Module.new { def basename = "bundle" })
  # It has no --skip-install, and Spate installs afterwards.
  Bundler::Installer.singleton_class.prepend(Module.new { def install(*) = nil }) if ARGV.first == "remove"
rescue LoadError, NameError
  nil
end
# As the script does that RubyGems writes for `bundle`: newer ones load the program themselves, in the box of theirs.
if Gem.respond_to?(:activate_and_load_bin_path)
  Gem.activate_and_load_bin_path("bundler", "bundle", ">= 0.a")
else
  load program
end
