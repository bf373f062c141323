# frozen_string_literal: true

require "mkmf"

# The core is plain C and lies beside ext/, in the checkout as in the gem.
CORE = File.expand_path("../../../core", __dir__)

# Where a library comes from, by package manager, for whoever lacks it.
PACKAGES = {
  "zlib" => "Debian and Ubuntu: zlib1g-dev; Fedora: zlib-devel; Alpine: zlib-dev; Homebrew: zlib",
  "libcrypto" => "Debian and Ubuntu: libssl-dev; Fedora: openssl-devel; Alpine: openssl-dev; Homebrew: openssl@3",
  "libdeflate" => "Debian and Ubuntu: libdeflate-dev; Fedora: libdeflate-devel; Homebrew: libdeflate"
}.freeze
PKG_CONFIG_PACKAGES = "Debian and Ubuntu: pkg-config; Fedora: pkgconf-pkg-config; Alpine: pkgconf; Homebrew: pkgconf"

def require_library(name)
  return if pkg_config(name)

  unless find_executable(ENV["PKG_CONFIG"] || "pkg-config")
    abort "error: pkg-config is missing, which finds #{name}\nhint: install it (#{PKG_CONFIG_PACKAGES})"
  end
  abort "error: #{name} is missing: neither its library nor its headers were found\n" \
        "hint: install it (#{PACKAGES.fetch(name)})"
end

require_library("zlib")
require_library("libcrypto")

wanted = with_config("libdeflate", true) && ENV["SPATE_LIBDEFLATE"] != "0"
if wanted && pkg_config("libdeflate")
  $defs << "-DSPATE_HAVE_LIBDEFLATE"
else
  message "libdeflate #{wanted ? "not found (#{PACKAGES.fetch("libdeflate")})" : "not wanted"}: zlib inflates alone\n"
end

$INCFLAGS << " -I#{CORE}"
$VPATH << CORE
# The boot extension's own.
BOOT_ONLY = /\A(crc32c|elf\w*|freshness|image\w*|index\w*|inputs\w*|processor|realpaths|sha256|siphash|source)\.c\z/
$srcs = Dir[File.join(__dir__, "*.c"), File.join(CORE, "*.c")].map { |path| File.basename(path) }.grep_v(BOOT_ONLY).sort
append_cflags(%w[-std=gnu11 -fvisibility=hidden -Wall -Wextra -Wno-unused-parameter
                 -Werror=implicit-function-declaration])
# What pkg-config names more than once or the linker does not need stays out of the library's dependencies.
append_ldflags("-Wl,--as-needed")
have_library("pthread")

create_makefile("spate/native/install")
