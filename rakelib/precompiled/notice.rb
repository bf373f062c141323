# frozen_string_literal: true

# The file NOTICE.txt of a precompiled gem, with the licences of code that the gem contains from other projects.
class Notice
  LIBDEFLATE = <<~TEXT
    Copyright 2016, 2018 Eric Biggers
    Copyright 2018 Jun He
    Copyright 2024 Google LLC

    Permission is hereby granted, free of charge, to any person
    obtaining a copy of this software and associated documentation files
    (the "Software"), to deal in the Software without restriction,
    including without limitation the rights to use, copy, modify, merge,
    publish, distribute, sublicense, and/or sell copies of the Software,
    and to permit persons to whom the Software is furnished to do so,
    subject to the following conditions:

    The above copyright notice and this permission notice shall be
    included in all copies or substantial portions of the Software.

    THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND,
    EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
    MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
    NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS
    BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN
    ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
    CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
    SOFTWARE.
  TEXT
  # The program `front` is linked statically.
  GLIBC = <<~TEXT
    The program lib/spate/native/front contains parts of the GNU C Library, Copyright (C) Free Software Foundation, Inc.,
    under the GNU Lesser General Public License, version 2.1 or later. The source gem (gem fetch spate --platform ruby)
    contains the program's source and links it with the C library of your system. The licence and the C library's source
    are at https://www.gnu.org/software/libc/ and in Debian's source package glibc.
  TEXT

  # gem: its name. natives: [NativeFiles]
  def initialize(gem, natives)
    @gem = gem
    @natives = natives
  end

  def to_s
    ["#{@gem} is under the MIT licence, in LICENSE.txt.\n",
     *(libdeflate unless @gem == "spate-server"), *(GLIBC if @gem == "spate"), LINKED].join("\n")
  end

  LINKED = "zlib and OpenSSL are not in this precompiled gem: its libraries use those of your system.\n"

  private

  def libdeflate
    versions = @natives.map { |native| "#{native.libdeflate} (for Ruby #{native.abi})" }
    "Its libraries contain libdeflate #{versions.join(", ")}:\n\n#{LIBDEFLATE}"
  end
end
