# frozen_string_literal: true

$LOAD_PATH.unshift File.expand_path("../lib", __dir__)
require_relative "../../test/test_helper"
require "spate/bytes"
require "spate/server"
