# frozen_string_literal: true

module Spate
  # The message of an error that nobody foresaw, fit for a user's eyes: one line of text, whatever bytes are in it,
  # without the receiver, whose variables Ruby 3.1 prints into a NameError, and with them the environment and what is
  # secret in it.
  module FirstWords
    # Characters.
    LONGEST = 300

    def self.of(error) = error.message.scrub("?").lines.first.to_s.chomp.sub(/ for #<.*/m, "")[0, LONGEST]
  end
end
