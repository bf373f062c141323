# frozen_string_literal: true

# Inflate and deflate with the interface of Ruby's Zlib, but without blocking other threads. Independent of the other
# parts of Spate.
require "spate/native/zlib"

module Spate
  module Zlib
    # The version of Ruby's zlib library that has the same interface.
    VERSION = "2.1.1"
  end
end

require "spate/zlib/gzip_file"
require "spate/zlib/gzip_file/encodings"
require "spate/zlib/gzip_file/header"
require "spate/zlib/gzip_reader"
require "spate/zlib/gzip_reader/source"
require "spate/zlib/gzip_reader/lines"
require "spate/zlib/gzip_writer"
require "spate/zlib/batch"
