# frozen_string_literal: true

$LOAD_PATH.unshift File.expand_path("../lib", __dir__)
$LOAD_PATH.unshift File.expand_path("../../bytes/lib", __dir__)
require_relative "../../test/bare_helper"
require "spate/bytes"
require "spate/server"
