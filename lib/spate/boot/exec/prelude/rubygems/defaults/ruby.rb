# frozen_string_literal: true

# RubyGems requires this file just before it evaluates the specifications of the default gems.
Spate::Boot::Exec::Prelude::DefaultGems.postpone

folder = $LOAD_PATH.shift
begin
  require "rubygems/defaults/ruby"
rescue LoadError
  nil
ensure
  $LOAD_PATH.unshift(folder)
end
