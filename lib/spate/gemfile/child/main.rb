# frozen_string_literal: true

# Evaluates a Gemfile under the tracer with the application's version of Bundler, in a child Ruby started without
# RubyGems. Writes the result to file descriptor 3. Arguments: path of the tracer's binding or "-", Gemfile, lockfile,
# "check" or "replay", the user's BUNDLE_GEMFILE or "", settings as `name=value`.

# Off until the Gemfile runs, because Ruby 3.1.2 occasionally frees objects that a class body has just created, and
# crashes.
GC.disable
report = IO.for_fd(3)
tracer, gemfile, lockfile, wanted, named, *flags = ARGV.slice!(0..)
require tracer unless tracer == "-"
if (table = ENV.delete("SPATE_TRACER_TABLE")) # see tracer/confine.rb
  IO.for_fd(ENV.fetch("SPATE_TRACER")[/\d+\z/].to_i).close
  ENV["SPATE_TRACER"] = table
end

# See Hooks::TRACER_VARIABLES.
before = { env: ENV.to_h.except("SPATE_TRACER", "SPATE_TRACER_SOCKET", "SPATE_TRACER_ASIDE", "LD_PRELOAD",
                                "ASAN_OPTIONS") }
before[:env].delete("BUNDLE_GEMFILE") if named.empty?
before[:named] = named == gemfile

require "rubygems"
%w[error_highlight did_you_mean syntax_suggest/core].each do |feature|
  require feature
rescue LoadError
  nil
end
# Recorded after the gems above were activated, because a program that loads them after its setup finds them in Ruby's
# standard library.
before.update(load_path: $LOAD_PATH.dup, loaded: Gem.loaded_specs.keys, gem_path: Gem.path.dup,
              features: $LOADED_FEATURES.dup, constants: Object.constants, gem_constants: Gem.constants)

require "bundler"
# The UI that Bundler creates during setup.
before[:ui] = Bundler.ui
require_relative "run"

run = Spate::Gemfile::Child::Run.new(report, gemfile, lockfile, flags, before)
sockets = %w[SPATE_TRACER_SOCKET SPATE_TRACER_ASIDE].map { |name| ENV.delete(name)&.to_i }
run.enter(*sockets) unless tracer == "-"
GC.enable
run.call(wanted)
# Flushes the Gemfile's output, but does not run its at_exit blocks.
[$stdout, $stderr].each(&:flush)
exit!(0)
