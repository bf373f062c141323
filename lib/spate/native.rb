# frozen_string_literal: true

module Spate
  # What the C extensions define: each concern its own library under spate/native, so that a program loads only what it
  # needs. This is the one for installing (it loads libcrypto, which a boot does without).
  module Native
  end
end

require "spate/native/install"
