# frozen_string_literal: true

# Loaded first by test programs: sets up from the record in the file STANDIN names.

path = ENV.delete("STANDIN")
library = File.expand_path("../../../lib", __dir__)
require "#{library}/spate/native/boot"
require "#{library}/spate/boot/entry"

standin = Spate::Boot::Standin
record = Spate::Gemfile::Setup::Record.new(File.binread(path))
answers = [record.usable?(ENV), standin.activate(record)]
abort "no stand-in: #{answers}" unless answers == [true, true]
