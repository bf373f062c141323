# frozen_string_literal: true

module Spate
  module Server
    VERSION = "0.1.0"
  end
end
