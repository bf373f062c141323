# frozen_string_literal: true

# Answers Spate::Boot::Explain, in a process that has booted like the application. Arguments: features.
require_relative "answer"
report = IO.for_fd(3, "wb")
session = Spate::Boot.session if Spate::Boot.respond_to?(:session) # it is switched off
answers = ARGV.map { |feature| Spate::Boot::Explain::Answer.new(feature, session).to_h }
Marshal.dump(answers, report)
report.close
