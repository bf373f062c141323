# frozen_string_literal: true

# Runs in a child Ruby started without RubyGems: sets up a bundle with the Bundler that the application would use, and
# reports on file descriptor 3 what Spate::Boot::Standin::Making reads. Arguments: Gemfile, lockfile.

report = IO.for_fd(3)
gemfile, lockfile = ARGV.slice!(0..)

before = { env: ENV.to_h }

require "rubygems"
%w[error_highlight did_you_mean syntax_suggest/core].each do |feature|
  require feature
rescue LoadError
  nil
end
# With folders of gems that the messages came from: a program that loads them after its set-up finds them in Ruby's own
# library.
before[:load_path] = $LOAD_PATH.dup
before[:loaded] = Gem.loaded_specs.keys
before[:gem_path] = Gem.path.dup
before[:features] = $LOADED_FEATURES.dup
before[:constants] = Object.constants
before[:gem_constants] = Gem.constants

# Not by RubyGems' require: it would activate default gems that the bundle may have in another version.
plain, ours = %i[gem_original_require require].map { |name| Kernel.instance_method(name) }
Kernel.define_method(:require, plain)
Kernel.send(:gem_original_require, "socket")
before[:own] = $LOADED_FEATURES - before[:features]
Kernel.define_method(:require, ours)
Kernel.send(:private, :require)

require "bundler"
require_relative "../../../gemfile/child/trace"
require_relative "clock"
require_relative "survey"
require_relative "spec_facts"
require_relative "words"

Spate::Boot::Standin::Child::Survey.new(report, gemfile, lockfile, before).run
# What the Gemfile printed counts; what it left for the end of the program does not.
[$stdout, $stderr].each(&:flush)
exit!(0)
