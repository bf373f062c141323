# frozen_string_literal: true

# Runs in a child Ruby started without RubyGems: evaluates a Gemfile with the Bundler that the application would use,
# under a tracer, and reports the result on file descriptor 3. Arguments: the tracer's binding or "-", Gemfile,
# lockfile, "check" or "replay", the user's BUNDLE_GEMFILE or "", settings as `name=value`.

# Ruby 3.1.2 occasionally frees objects that a class body has just created, and crashes. Until the Gemfile runs there is
# little garbage.
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
# Read after the gems above were activated: a program that loads them after its setup finds them in Ruby's own library.
before.update(load_path: $LOAD_PATH.dup, loaded: Gem.loaded_specs.keys, gem_path: Gem.path.dup,
              features: $LOADED_FEATURES.dup, constants: Object.constants, gem_constants: Gem.constants)

require "bundler"
# Objects that Bundler creates itself when it sets up.
before[:ui] = Bundler.ui
require_relative "run"

run = Spate::Gemfile::Child::Run.new(report, gemfile, lockfile, flags, before)
sockets = %w[SPATE_TRACER_SOCKET SPATE_TRACER_ASIDE].map { |name| ENV.delete(name)&.to_i }
run.enter(*sockets) unless tracer == "-"
GC.enable
run.call(wanted)
# The Gemfile's output matters; its at_exit blocks do not.
[$stdout, $stderr].each(&:flush)
exit!(0)
