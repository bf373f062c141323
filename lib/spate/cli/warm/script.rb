# frozen_string_literal: true

# Runs in the background: launcher, application, kind, streams and state (core/front/warm), and the time of the command.
require "spate"
require "spate/inputs"
require "spate/boot/entry"
require "spate/tracer"

launcher, root, kind, streams, state, asked = ARGV
Dir.chdir(root)
env = ENV.to_h
store = Spate::Store.open(env: env).keeper or exit
place = Spate::CLI::Warm::Place.new(store, root)
key = Spate::CLI::InPlace.key(root, env["BUNDLE_GEMFILE"], [launcher, "warm", kind, streams, state])
path = File.join(store.make(store.path(Spate::CLI::InPlace::FOLDER)), key)
Spate::CLI::Warm::Maker.new(launcher, place, kind, streams, path, env, Time.at(asked.to_f)).call
