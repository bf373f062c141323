# frozen_string_literal: true

$LOAD_PATH.unshift File.expand_path("../lib", __dir__), __dir__
require "spate"

# A child in the background that makes a compile cache would outlive the test; test/self_cache_test.rb has its own
# environment.
ENV["SPATE_NO_OWN_CODE"] ||= "1"
require_relative "bare_helper"
