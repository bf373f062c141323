# frozen_string_literal: true

# Buffers and views like JavaScript's: ArrayBuffer, DataView, the typed arrays. Loads no other part of Spate.
require "spate/native/bytes"
require "spate/bytes/array_buffer"
require "spate/bytes/data_view"
require "spate/bytes/typed_array"

module Spate
  # The folder of <spate/bytes.h>, for extensions that work on buffers without calling Ruby.
  BYTES_INCLUDE = File.expand_path("../../ext/bytes/include", __dir__)
end
