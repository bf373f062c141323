# frozen_string_literal: true

require "mkmf"

# The core is plain C and lies beside ext/, in the checkout as in the gem.
CORE = File.expand_path("../../../core", __dir__)

# Where a library comes from, by package manager, for whoever lacks it.
PACKAGES = {
  "zlib" => "Debian and Ubuntu: zlib1g-dev; Fedora: zlib-devel; Alpine: zlib-dev; Homebrew: zlib",
  "libdeflate" => "Debian and Ubuntu: libdeflate-dev; Fedora: libdeflate-devel; Homebrew: libdeflate"
}.freeze

unless pkg_config("zlib") || (have_header("zlib.h") && have_library("z", "inflate"))
  abort "error: zlib is missing: neither its library nor its headers were found\n" \
        "hint: install it (#{PACKAGES.fetch("zlib")})"
end

wanted = with_config("libdeflate", true) && ENV["SPATE_LIBDEFLATE"] != "0"
if wanted && pkg_config("libdeflate")
  $defs << "-DSPATE_HAVE_LIBDEFLATE"
else
  message "libdeflate #{wanted ? "not found (#{PACKAGES.fetch("libdeflate")})" : "not wanted"}: zlib works alone\n"
end

$INCFLAGS << " -I#{CORE}"
$VPATH << CORE
$srcs = Dir[File.join(__dir__, "*.c")].map { |path| File.basename(path) }.sort + %w[inflate.c container.c status.c]
$defs << "-DSPATE_HAVE_GZIP" if $srcs.include?("gzip.c")
$defs << "-DSPATE_HAVE_BATCH" if $srcs.include?("batch.c")
append_cflags(%w[-std=gnu11 -O3 -fvisibility=hidden -Wall -Wextra -Wno-unused-parameter
                 -Werror=implicit-function-declaration])
append_ldflags("-Wl,--as-needed")
have_library("pthread")
have_func("inflateValidate", "zlib.h")

create_makefile("spate/native/zlib")
