# frozen_string_literal: true

module Spate
  module Server
    # Header blocks that break RFC 7541.
    module H2specCases
      broken = connection(:COMPRESSION_ERROR)
      expect "hpack/2.3.3/1", "an index that no table has", broken, headers(join(GET, "\xc6"))
      expect "hpack/2.3.3/2", "a name that no table has", broken, headers(join(GET, "\x7f\x07\0"))
      expect "hpack/4.2/1", "a size update behind fields", broken, headers(join(GET, "\x21"))
      expect "hpack/5.2/1", "padding of a byte", broken,
             headers(join(GET, "\x00\x85\xf2\xb2\x4a\x84\xff\x84\x49\x50\x9f\xff"))
      expect "hpack/5.2/2", "padding of zeros", broken,
             headers(join(GET, "\x00\x85\xf2\xb2\x4a\x84\xff\x83\x49\x50\x90"))
      expect "hpack/5.2/3", "EOS", broken,
             headers(join(GET, "\x00\x85\xf2\xb2\x4a\x84\xff\x87\x49\x51\xff\xff\xff\xfa\x7f"))
      expect "hpack/6.1/1", "index 0", broken, headers(join(GET, "\x80"))
      expect "hpack/6.3/1", "a size update past the setting", broken, headers("\x3f\xe2\x1f".b + GET)
    end
  end
end
