# frozen_string_literal: true

# Replaces `require "arraybuffer"` (the gem, 0.0.7): defines the same constants and methods.
require "spate/bytes"

if defined?(ArrayBuffer) && ArrayBuffer != Spate::Compat::ArrayBuffer
  raise LoadError, "the gem arraybuffer is loaded already; require spate/bytes/compat/arraybuffer instead of it"
end

ArrayBuffer = Spate::Compat::ArrayBuffer unless defined?(ArrayBuffer)
DataView = Spate::Compat::DataView unless defined?(DataView)
