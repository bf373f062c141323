# frozen_string_literal: true

$LOAD_PATH.unshift File.expand_path("../lib", __dir__), __dir__
require "spate"

# Disables the background process that makes a compile cache, because it would outlive the test. test/self_cache_test.rb
# enables it.
ENV["SPATE_NO_OWN_CODE"] ||= "1"
require_relative "bare_helper"
