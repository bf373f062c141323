# frozen_string_literal: true

# Buffers and views as in JavaScript: ArrayBuffer, DataView and typed arrays. Independent of the other parts of Spate.
require "spate/native/bytes"
require "spate/bytes/array_buffer"
require "spate/bytes/data_view"
require "spate/bytes/typed_array"

module Spate
  # The include directory of <spate/bytes.h>, for extensions that access buffers without calling Ruby methods.
  BYTES_INCLUDE = File.expand_path("../../ext/bytes/include", __dir__)
end
