# frozen_string_literal: true

module Spate
  # Resolution.
  module Resolve
  end
end
