# frozen_string_literal: true

# Runs for Spate::CompileCache::Explain in a process that has booted like the application. Arguments: features.
report = IO.for_fd(3, "wb")
require_relative "../../compile_cache"
require_relative "answer"
session = Spate::Boot.session if defined?(Spate::Boot.session) # nil if Spate is off
answers = ARGV.map { |feature| Spate::CompileCache::Explain::Answer.new(feature, session).to_h }
Marshal.dump(answers, report)
report.close
