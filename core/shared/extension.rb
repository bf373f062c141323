# frozen_string_literal: true

require "mkmf"

# Shared by the extconf.rb files that compile the core. The core is plain C and has the same path in the checkout and in
# the gem.
module CoreExtension
  ROOT = File.expand_path("../..", __dir__)
  FLAGS = %w[-std=gnu11 -fvisibility=hidden -Wall -Wextra -Wno-unused-parameter
             -Werror=implicit-function-declaration].freeze
  # The distribution packages of each library.
  PACKAGES = {
    "zlib" => "Debian and Ubuntu: zlib1g-dev; Fedora: zlib-devel; Alpine: zlib-dev; Homebrew: zlib",
    "libcrypto" => "Debian and Ubuntu: libssl-dev; Fedora: openssl-devel; Alpine: openssl-dev; Homebrew: openssl@3",
    "libdeflate" => "Debian and Ubuntu: libdeflate-dev; Fedora: libdeflate-devel; Homebrew: libdeflate",
    "pkg-config" => "Debian and Ubuntu: pkg-config; Fedora: pkgconf-pkg-config; Alpine: pkgconf; Homebrew: pkgconf"
  }.freeze

  class << self
    # Sets the sources to compile. `own` are globs relative to the extension's directory; `core` are globs relative to
    # core/, without ".c". Each object has the same relative path as its source, so that two sources can have the same
    # name.
    def compile(own:, core:)
      parts = core.flat_map { |pattern| sources(ROOT, "core/#{pattern}.c") }
      $srcs = own.flat_map { |pattern| sources($srcdir, pattern) } + parts
      $objs = $srcs.map { |path| path.sub(/c\z/, $OBJEXT) }
      $objs.each { |path| FileUtils.mkdir_p(File.dirname(path)) }
      $cleanfiles.concat($objs)
      $INCFLAGS << " -I#{ROOT}/core"
      $VPATH << ROOT
      append_cflags(FLAGS)
      # Omits libraries that pkg-config lists but that are not needed.
      append_ldflags("-Wl,--as-needed")
    end

    # Writes a Makefile that builds a program instead of a library, or an empty Makefile unless `possible`. Call
    # `compile` first.
    def program(target, possible)
      return File.write("Makefile", dummy_makefile($srcdir).join) unless possible

      append_cflags(%w[-O2 -fPIE -fstack-protector-strong])
      $LIBRUBYARG = $LIBRUBYARG_SHARED = $LIBRUBYARG_STATIC = $LIBS = $libs = ""
      # The program is linked statically if possible, because the dynamic linker would take as long as the program
      # itself. Exported symbols would break a static program, and are useless because it loads no libraries.
      $LDFLAGS = $LDFLAGS.gsub(/-rdynamic|-Wl,-export-dynamic/, "")
      form = runs?("-static-pie") ? "-static-pie" : "-pie"
      RbConfig::MAKEFILE_CONFIG["LDSHARED"] = "$(CC) #{form} -Wl,-z,relro,-z,now"
      create_makefile(target)
      library = /^DLLIB = .*/
      File.write("Makefile", File.read("Makefile").sub(library, "DLLIB = $(TARGET)"))
    end

    # Aborts if the library is not found. An optional block can look for it elsewhere.
    def require_library(name)
      return if pkg_config(name) || (block_given? && yield)

      missing("pkg-config", "it finds #{name}") unless find_executable(ENV["PKG_CONFIG"] || "pkg-config")
      missing(name, "neither its library nor its headers were found")
    end

    # SPATE_LIBDEFLATE=0 builds without libdeflate. SPATE_LIBDEFLATE=static links it statically.
    def use_libdeflate
      wanted = with_config("libdeflate", true) && ENV["SPATE_LIBDEFLATE"] != "0"
      return link_libdeflate if wanted && ENV["SPATE_LIBDEFLATE"] == "static"

      if wanted && pkg_config("libdeflate")
        $defs << "-DSPATE_HAVE_LIBDEFLATE"
      else
        why = wanted ? "not found (#{PACKAGES.fetch("libdeflate")})" : "not wanted"
        message "libdeflate #{why}: zlib works alone\n"
      end
    end

    private

    def link_libdeflate
      missing("libdeflate", "no static library") unless have_library(":libdeflate.a", "libdeflate_alloc_compressor",
                                                                     "libdeflate.h")
      append_ldflags("-Wl,--exclude-libs,libdeflate.a") # its functions are not exported
      $defs << "-DSPATE_HAVE_LIBDEFLATE"
    end

    # Does not use try_link, which would also link Ruby's library.
    def runs?(flag)
      File.write("linked.c", "int main(void) { return 0; }\n")
      xsystem("#{RbConfig::CONFIG["CC"]} -fPIE #{flag} -o linked linked.c #{$LDFLAGS}") && xsystem("./linked")
    ensure
      FileUtils.rm_f(%w[linked linked.c])
    end

    def sources(folder, pattern) = Dir.glob(pattern, base: folder).sort
    def missing(name, why) = abort("error: #{name} is missing: #{why}\nhint: install it (#{PACKAGES.fetch(name)})")
  end
end
