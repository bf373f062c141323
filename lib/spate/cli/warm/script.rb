# frozen_string_literal: true

# The background process that starts a warm parent. Arguments: launcher, application's root, kind, streams and state
# (core/front/warm), depths to try (Boot::WarmParent::Offer), time and program of the command.
require "spate"
require "spate/inputs"
require "spate/boot/entry"
require "spate/tracer"

launcher, root, kind, streams, state, depths, asked, program = ARGV
Dir.chdir(root)
env = ENV.to_h
store = Spate::Store.open(env: env).writable_store or exit
place = Spate::CLI::Warm::Place.new(store, root)
folder = store.make(store.path(Spate::CLI::InPlace::FOLDER))
# As find_parent in core/front/warm/warm.c.
paths = lambda do |each|
  [[], [program]].map do |more|
    words = [launcher, "warm", each, streams, state, *more]
    File.join(folder, Spate::CLI::InPlace.key(root, env["BUNDLE_GEMFILE"], words))
  end
end
kinds = depths.split(",").map { |depth| kind.sub(/\A\w+/, depth) }
records = kinds.to_h { |each| [each, paths.call(each)] }
# A command that asks only for a deeper parent did not boot.
place.booted(kind, Spate::CLI::Warm::Reason.new(place, streams, records, env).to_s) if kinds.size > 1
records.find do |each, files|
  command = Spate::CLI::Warm::Maker::Command.new(program, each, streams, env, Time.at(asked.to_f))
  Spate::CLI::Warm::Maker.new(launcher, place, command, *files).call
end
