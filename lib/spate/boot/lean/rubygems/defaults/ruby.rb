# frozen_string_literal: true

# RubyGems loads "rubygems/defaults/ruby" right before it evaluates the default gems' specifications.
Spate::Boot::Lean::DefaultGems.later

folder = $LOAD_PATH.shift
begin
  require "rubygems/defaults/ruby"
rescue LoadError
  nil
ensure
  $LOAD_PATH.unshift(folder)
end
