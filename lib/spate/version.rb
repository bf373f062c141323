# frozen_string_literal: true

module Spate
  VERSION = "0.1.0"
end
