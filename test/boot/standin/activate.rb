# frozen_string_literal: true

# Loaded first by programs of tests: sets up from the record in the file STANDIN names.

path = ENV.delete("STANDIN")
library = File.expand_path("../../../lib", __dir__)
require "#{library}/spate/native/boot"
require "#{library}/spate/boot/room"

standin = Spate::Boot::Standin
bytes = File.binread(path)
answers = [standin.usable?(bytes, ENV), standin.activate(bytes)]
abort "no stand-in: #{answers}" unless answers == [true, true]
