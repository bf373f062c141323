# frozen_string_literal: true

module Spate
  # The superclass of all errors that are reported to users. The message states facts on one line: the thing, what was
  # expected, what was found. `hint` contains the fix, and `details` longer text such as the end of a log.
  #
  # Exit codes, one per class of error. They never change:
  #
  #    0  done                        7  checksum differs
  #    1  a bug in Spate              8  archive refused or damaged
  #    2  usage                       9  store or file system (full, read-only, not ours)
  #    3  lockfile cannot be read    10  native extension failed to build
  #    4  Gemfile and lockfile       11  bundle incomplete (`spate check`)
  #       disagree (frozen)          12  setting
  #    5  Bundler could not resolve  13  git
  #    6  network                    14  gem not found or yanked
  #                                  15  wrong Ruby or RubyGems version
  #                                 130  interrupted
  class Error < StandardError
    EXIT_CODE = 1

    # @return [String, nil] how to fix the problem, on one line
    attr_reader :hint
    # @return [Array<String>] lines of longer text, such as the end of a log
    attr_reader :details

    # @param message [String, nil] facts, on one line
    # @param hint [String, nil]
    # @param details [Array<String>]
    def initialize(message = nil, hint: nil, details: [])
      super(message)
      @hint = hint
      @details = details
    end

    # @return [Integer] the exit code of a command that fails with this error
    def exit_code = self.class::EXIT_CODE
  end

  # The command line is invalid.
  class UsageError < Error
    EXIT_CODE = 2
  end

  # The user pressed Ctrl-C or sent SIGTERM.
  class Interrupted < Error
    EXIT_CODE = 130
  end

  # The message of an unexpected error, made safe to print: one line of valid text, without the receiver. Ruby 3.1
  # includes the receiver's instance variables in a NameError, which may contain the environment with its secrets.
  #
  # @!visibility private
  module ErrorSummary
    # The maximum number of characters.
    LONGEST = 300

    # What Ruby adds to the message of a failed system call: "No such file or directory @ rb_sysopen - /path".
    CALL = / @ \w+ - /

    def self.of(error)
      error.message.scrub("?").lines.first.to_s.chomp.sub(/ for #<.*/m, "").sub(CALL, ": ")[0, LONGEST]
    end
  end
end
