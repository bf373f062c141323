# frozen_string_literal: true

# Runs in a child Ruby: evaluates a Gemfile with the machine's Bundler, offline, and reports on file descriptor 3 what
# Spate::Gemfile::Facts reads. Arguments: Gemfile, lockfile, settings as `name=value`.

report = IO.for_fd(3)
gemfile, lockfile, *flags = ARGV.slice!(0..)

require "bundler"
require "digest"
require "socket"
require_relative "judgement"
require_relative "report"
require_relative "trace"

Spate::Gemfile::Child::Report.new(report, gemfile, lockfile, flags).run
exit!(0)
