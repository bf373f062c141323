# frozen_string_literal: true

module Spate
  module Build
    # System packages whose absence makes well-known gems fail to build. Names by system; "-" where none is known.
    module Packages
      # what: "libpq-fe.h"; packages: {system => name}
      Missing = Struct.new(:what, :packages) do
        # system: :debian, :fedora, :alpine, :brew, or nil for any other.
        def hint(system = Packages.system)
          name = packages[system]
          return "install #{name} (it brings #{what}): #{Packages::COMMANDS.fetch(system)} #{name}" if name

          "install the package that brings #{what}: " +
            packages.map { |key, package| "#{package} on #{Packages::NAMES.fetch(key)}" }.join(", ")
        end
      end

      COMMANDS = { debian: "apt-get install", fedora: "dnf install", alpine: "apk add", brew: "brew install" }.freeze
      NAMES = { debian: "Debian and Ubuntu", fedora: "Fedora and RHEL", alpine: "Alpine", brew: "macOS" }.freeze

      # header or library or program, as it shows in logs => packages on Debian, Fedora, Alpine, Homebrew
      TABLE = {
        "ruby.h" => %w[ruby-dev ruby-devel ruby-dev -],
        "libpq-fe.h" => %w[libpq-dev libpq-devel libpq-dev libpq],
        "pg_config" => %w[libpq-dev libpq-devel libpq-dev libpq],
        "mysql.h" => %w[default-libmysqlclient-dev mysql-devel mariadb-connector-c-dev mysql-client],
        "mysql_config" => %w[default-libmysqlclient-dev mysql-devel mariadb-connector-c-dev mysql-client],
        "sqlite3.h" => %w[libsqlite3-dev sqlite-devel sqlite-dev sqlite],
        "sybdb.h" => %w[freetds-dev freetds-devel freetds-dev freetds],
        "yaml.h" => %w[libyaml-dev libyaml-devel yaml-dev libyaml],
        "ffi.h" => %w[libffi-dev libffi-devel libffi-dev libffi],
        "openssl/ssl.h" => %w[libssl-dev openssl-devel openssl-dev openssl@3],
        "zlib.h" => %w[zlib1g-dev zlib-devel zlib-dev zlib],
        "readline/readline.h" => %w[libreadline-dev readline-devel readline-dev readline],
        "gmp.h" => %w[libgmp-dev gmp-devel gmp-dev gmp],
        "libxml/parser.h" => %w[libxml2-dev libxml2-devel libxml2-dev libxml2],
        "libxml/xmlversion.h" => %w[libxml2-dev libxml2-devel libxml2-dev libxml2],
        "libxslt/xslt.h" => %w[libxslt1-dev libxslt-devel libxslt-dev libxslt],
        "curl/curl.h" => %w[libcurl4-openssl-dev libcurl-devel curl-dev curl],
        "magic.h" => %w[libmagic-dev file-devel file-dev libmagic],
        "wand/MagickWand.h" => %w[libmagickwand-dev ImageMagick-devel imagemagick-dev imagemagick],
        "MagickWand" => %w[libmagickwand-dev ImageMagick-devel imagemagick-dev imagemagick],
        "ImageMagick" => %w[libmagickwand-dev ImageMagick-devel imagemagick-dev imagemagick],
        "vips/vips.h" => %w[libvips-dev vips-devel vips-dev vips],
        "unicode/uchar.h" => %w[libicu-dev libicu-devel icu-dev icu4c],
        "icu-config" => %w[libicu-dev libicu-devel icu-dev icu4c],
        "idna.h" => %w[libidn11-dev libidn-devel libidn-dev libidn],
        "sasl/sasl.h" => %w[libsasl2-dev cyrus-sasl-devel cyrus-sasl-dev cyrus-sasl],
        "git2.h" => %w[libgit2-dev libgit2-devel libgit2-dev libgit2],
        "archive.h" => %w[libarchive-dev libarchive-devel libarchive-dev libarchive],
        "zmq.h" => %w[libzmq3-dev zeromq-devel zeromq-dev zeromq],
        "snappy-c.h" => %w[libsnappy-dev snappy-devel snappy-dev snappy],
        "zstd.h" => %w[libzstd-dev libzstd-devel zstd-dev zstd],
        "lzma.h" => %w[liblzma-dev xz-devel xz-dev xz],
        "bzlib.h" => %w[libbz2-dev bzip2-devel bzip2-dev bzip2],
        "pcap.h" => %w[libpcap-dev libpcap-devel libpcap-dev libpcap],
        "uv.h" => %w[libuv1-dev libuv-devel libuv-dev libuv],
        "systemd/sd-journal.h" => %w[libsystemd-dev systemd-devel elogind-dev -],
        "jemalloc/jemalloc.h" => %w[libjemalloc-dev jemalloc-devel jemalloc-dev jemalloc],
        "X11/Xlib.h" => %w[libx11-dev libX11-devel libx11-dev libx11],
        "gtk/gtk.h" => %w[libgtk-3-dev gtk3-devel gtk+3.0-dev gtk+3],
        "glib.h" => %w[libglib2.0-dev glib2-devel glib-dev glib],
        "cairo.h" => %w[libcairo2-dev cairo-devel cairo-dev cairo],
        "libmemcached/memcached.h" => %w[libmemcached-dev libmemcached-devel libmemcached-dev libmemcached],
        "leptonica/allheaders.h" => %w[libleptonica-dev leptonica-devel leptonica-dev leptonica],
        "stdio.h" => %w[libc6-dev glibc-devel musl-dev -],
        "cmake" => %w[cmake cmake cmake cmake],
        "cargo" => %w[cargo cargo cargo rust],
        "rustc" => %w[rustc rust rust rust],
        "pkg-config" => %w[pkg-config pkgconf-pkg-config pkgconf pkgconf],
        "autoreconf" => %w[autoconf autoconf autoconf autoconf],
        "automake" => %w[automake automake automake automake],
        "libtoolize" => %w[libtool libtool libtool libtool],
        "bison" => %w[bison bison bison bison],
        "flex" => %w[flex flex flex flex],
        "patch" => %w[patch patch patch gpatch],
        "perl" => %w[perl perl perl perl],
        "make" => %w[make make make make],
        "gcc" => %w[build-essential gcc build-base gcc],
        "cc" => %w[build-essential gcc build-base gcc],
        "g++" => %w[g++ gcc-c++ g++ gcc],
        "c++" => %w[g++ gcc-c++ g++ gcc]
      }.freeze
      # A library that the linker misses => the table's header.
      LIBRARIES = {
        "pq" => "libpq-fe.h", "mysqlclient" => "mysql.h", "mariadb" => "mysql.h", "sqlite3" => "sqlite3.h",
        "yaml" => "yaml.h", "ffi" => "ffi.h", "ssl" => "openssl/ssl.h", "crypto" => "openssl/ssl.h", "z" => "zlib.h",
        "readline" => "readline/readline.h", "gmp" => "gmp.h", "xml2" => "libxml/parser.h",
        "xslt" => "libxslt/xslt.h", "curl" => "curl/curl.h", "magic" => "magic.h", "sybdb" => "sybdb.h",
        "icui18n" => "unicode/uchar.h", "icuuc" => "unicode/uchar.h", "idn" => "idna.h", "sasl2" => "sasl/sasl.h",
        "zmq" => "zmq.h", "pcap" => "pcap.h", "bz2" => "bzlib.h", "lzma" => "lzma.h", "stdc++" => "g++"
      }.freeze
      SAME = {
        "openssl/ssl.h" => %r{\Aopenssl/}, "libxml/parser.h" => %r{\Alibxml/}, "wand/MagickWand.h" => /MagickWand\.h\z/
      }.freeze

      # Where a log names what is missing; the first match names the cause.
      PATTERNS = [
        %r{fatal error: ([\w.+/-]+\.h\w*): No such file}, %r{fatal error: '([\w.+/-]+)' file not found},
        /cannot find -l:?([\w+-]+)/, /library not found for -l([\w+-]+)/, /library '([\w+-]+)' not found/,
        %r{checking for ([\w.+/-]+\.h)\b[^\n]*\bno$}, /checking for -l([\w+-]+)[^\n]*\bno$/,
        /checking for \w+\(?\)? in -l([\w+-]+)[^\n]*\bno$/,
        /^\S*make(?:\[\d+\])?: ([\w+.-]+): No such file/,
        /([\w+.-]+): (?:command )?not found/, /No such file or directory - ([\w+.-]+)/, %r{([\w.+/-]+\.h) is missing}i,
        %r{(?:can(?:'t|not)|could not|unable to) find (?:the )?(?:\w+ or )?([\w.+/-]+\.h)}i,
        %r{missing ([\w.+/-]+\.h)}i,
        /you (?:have|need) to install (?:the )?([\w+-]+)/i,
        /\b(ImageMagick|MagickWand|mysql_config|pg_config)\b[^\n]*(?:not|can't|cannot|no)\b/i,
        /can(?:'t|not) find (?:the )?(ImageMagick)\b/i,
        /No such file or directory[^\n]*\b(make|cmake|cargo|rustc|gcc|g\+\+)\b/,
        /failed(?:No such file or directory) - ([\w+]+)/,
        /can't find header files for (ruby)/
      ].freeze

      module_function

      # What a build's output says is missing, where the table knows it; else nil.
      def find(text)
        PATTERNS.each do |pattern|
          text.scan(pattern) do |(found)|
            missing = known(found)
            return missing if missing
          end
        end
        nil
      end

      # found: a header, a library's bare name, or a program.
      def known(found)
        what = [found, LIBRARIES[found], ("ruby.h" if found == "ruby")].compact.find { |name| TABLE.key?(name) }
        what ||= SAME.find { |_, pattern| pattern.match?(found) }&.first
        Missing.new(found == "ruby" ? what : found, packages(what)) if what
      end

      def packages(what)
        NAMES.keys.zip(TABLE.fetch(what)).reject { |_, name| name == "-" }.to_h
      end

      # Which of the table's systems this is, by /etc/os-release; nil for another one.
      def system(release: "/etc/os-release", platform: RUBY_PLATFORM)
        return :brew if platform.include?("darwin")

        ids = File.readlines(release, chomp: true).grep(/\AID(?:_LIKE)?=/).join(" ").delete('"').split(/[\s=]/)
        { debian: %w[debian ubuntu], fedora: %w[fedora rhel centos], alpine: %w[alpine] }.each do |system, names|
          return system if (ids & names).any?
        end
        nil
      rescue SystemCallError
        nil
      end
    end
  end
end
