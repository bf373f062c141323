# frozen_string_literal: true

# Test programs load this file first. It activates the Bundler replay in the file that REPLAY names.

path = ENV.delete("REPLAY")
library = File.expand_path("../../../lib", __dir__)
require "#{library}/spate/native/boot"
require "#{library}/spate/boot/entry"

replay = Spate::Boot::BundlerReplay
record = Spate::Gemfile::Setup::Record.new(File.binread(path))
answers = [record.usable?(ENV), replay.activate(record)]
abort "no Bundler replay: #{answers}" unless answers == [true, true]
