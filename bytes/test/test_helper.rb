# frozen_string_literal: true

$LOAD_PATH.unshift File.expand_path("../lib", __dir__), __dir__
require_relative "../../test/bare_helper"
