# frozen_string_literal: true

# Inflate and deflate with the interface of Ruby's Zlib, without stopping other threads. Loads nothing else of Spate.
require "spate/native/zlib"

module Spate
  module Zlib
    # The version of Ruby's zlib library whose interface this is.
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
