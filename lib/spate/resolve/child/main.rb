# frozen_string_literal: true

# Runs a command of Bundler like gemfile/child/bundle.rb, with Spate's index of the gem sources. Loaded by that script
# between Bundler and Bundler's command line.
$LOAD_PATH << File.expand_path("../../..", __dir__)
require "spate"
require_relative "hooks"

Spate::Resolve::Child::Hooks.install
