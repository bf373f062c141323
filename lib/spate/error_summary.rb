# frozen_string_literal: true

module Spate
  # The message of an unexpected error, safe to print: one line of valid text, without the receiver. Ruby 3.1 prints the
  # receiver's variables into a NameError, and with them the environment and its secrets.
  module ErrorSummary
    # Characters.
    LONGEST = 300

    def self.of(error) = error.message.scrub("?").lines.first.to_s.chomp.sub(/ for #<.*/m, "")[0, LONGEST]
  end
end
