# frozen_string_literal: true

module Spate
  module Build
    class Failure
      # The system packages that well-known gems need, for each operating system ("-" if unknown).
      module Packages
        # what: "libpq-fe.h"; packages: {system => name}
        Missing = Struct.new(:what, :packages) do
          # system: :debian, :fedora, :alpine, :brew, or nil for any other.
          def hint(system = Packages.system)
            name = packages[system]
            return "install #{name}, which contains #{what}: #{Packages::COMMANDS.fetch(system)} #{name}" if name

            "install the package that contains #{what}: " +
              packages.map { |key, package| "#{package} on #{Packages::NAMES.fetch(key)}" }.join(", ")
          end
        end

        COMMANDS = { debian: "apt-get install", fedora: "dnf install", alpine: "apk add", brew: "brew install" }.freeze
        NAMES = { debian: "Debian and Ubuntu", fedora: "Fedora and RHEL", alpine: "Alpine", brew: "macOS" }.freeze

        # header, program or -llibrary, spelled as in logs => packages on Debian, Fedora, Alpine, Homebrew
        TABLE = <<~TEXT.scan(/^(.*): (.*)$/).flat_map { |all, names| all.split.product([names.split]) }.to_h.freeze
          ruby.h: ruby-dev ruby-devel ruby-dev -
          libpq-fe.h pg_config -lpq: libpq-dev libpq-devel libpq-dev libpq
          mysql.h mysql_config -lmysqlclient: default-libmysqlclient-dev mysql-devel mariadb-connector-c-dev mysql-client
          -lmariadb: default-libmysqlclient-dev mysql-devel mariadb-connector-c-dev mysql-client
          sqlite3.h -lsqlite3: libsqlite3-dev sqlite-devel sqlite-dev sqlite
          sybdb.h -lsybdb: freetds-dev freetds-devel freetds-dev freetds
          yaml.h -lyaml: libyaml-dev libyaml-devel yaml-dev libyaml
          ffi.h -lffi: libffi-dev libffi-devel libffi-dev libffi
          openssl/ssl.h -lssl -lcrypto: libssl-dev openssl-devel openssl-dev openssl@3
          zlib.h -lz: zlib1g-dev zlib-devel zlib-dev zlib
          readline/readline.h -lreadline: libreadline-dev readline-devel readline-dev readline
          gmp.h -lgmp: libgmp-dev gmp-devel gmp-dev gmp
          libxml/parser.h libxml/xmlversion.h -lxml2: libxml2-dev libxml2-devel libxml2-dev libxml2
          libxslt/xslt.h -lxslt: libxslt1-dev libxslt-devel libxslt-dev libxslt
          curl/curl.h -lcurl: libcurl4-openssl-dev libcurl-devel curl-dev curl
          magic.h -lmagic: libmagic-dev file-devel file-dev libmagic
          wand/MagickWand.h MagickWand ImageMagick: libmagickwand-dev ImageMagick-devel imagemagick-dev imagemagick
          vips/vips.h: libvips-dev vips-devel vips-dev vips
          unicode/uchar.h icu-config -licui18n -licuuc: libicu-dev libicu-devel icu-dev icu4c
          idna.h -lidn: libidn11-dev libidn-devel libidn-dev libidn
          sasl/sasl.h -lsasl2: libsasl2-dev cyrus-sasl-devel cyrus-sasl-dev cyrus-sasl
          git2.h: libgit2-dev libgit2-devel libgit2-dev libgit2
          archive.h: libarchive-dev libarchive-devel libarchive-dev libarchive
          zmq.h -lzmq: libzmq3-dev zeromq-devel zeromq-dev zeromq
          snappy-c.h: libsnappy-dev snappy-devel snappy-dev snappy
          zstd.h: libzstd-dev libzstd-devel zstd-dev zstd
          lzma.h -llzma: liblzma-dev xz-devel xz-dev xz
          bzlib.h -lbz2: libbz2-dev bzip2-devel bzip2-dev bzip2
          pcap.h -lpcap: libpcap-dev libpcap-devel libpcap-dev libpcap
          uv.h: libuv1-dev libuv-devel libuv-dev libuv
          systemd/sd-journal.h: libsystemd-dev systemd-devel elogind-dev -
          jemalloc/jemalloc.h: libjemalloc-dev jemalloc-devel jemalloc-dev jemalloc
          X11/Xlib.h: libx11-dev libX11-devel libx11-dev libx11
          gtk/gtk.h: libgtk-3-dev gtk3-devel gtk+3.0-dev gtk+3
          glib.h: libglib2.0-dev glib2-devel glib-dev glib
          cairo.h: libcairo2-dev cairo-devel cairo-dev cairo
          libmemcached/memcached.h: libmemcached-dev libmemcached-devel libmemcached-dev libmemcached
          leptonica/allheaders.h: libleptonica-dev leptonica-devel leptonica-dev leptonica
          stdio.h: libc6-dev glibc-devel musl-dev -
          cargo: cargo cargo cargo rust
          rustc: rustc rust rust rust
          pkg-config: pkg-config pkgconf-pkg-config pkgconf pkgconf
          autoreconf: autoconf autoconf autoconf autoconf
          libtoolize: libtool libtool libtool libtool
          patch: patch patch patch gpatch
          gcc cc: build-essential gcc build-base gcc
          g++ c++ -lstdc++: g++ gcc-c++ g++ gcc
        TEXT
        # Programs whose packages have the same name.
        PLAIN = %w[cmake automake bison flex perl make].freeze
        SAME = {
          "openssl/ssl.h" => %r{\Aopenssl/}, "libxml/parser.h" => %r{\Alibxml/},
          "wand/MagickWand.h" => /MagickWand\.h\z/
        }.freeze

        # How logs report a missing file or library. The first match is treated as the cause.
        PATTERNS = [
          %r{fatal error: ([\w.+/-]+\.h\w*): No such file}, %r{fatal error: '([\w.+/-]+)' file not found},
          /cannot find -l:?([\w+-]+)/, /library not found for -l([\w+-]+)/, /library '([\w+-]+)' not found/,
          %r{checking for ([\w.+/-]+\.h)\b[^\n]*\bno$}, /checking for -l([\w+-]+)[^\n]*\bno$/,
          /checking for \w+\(?\)? in -l([\w+-]+)[^\n]*\bno$/,
          /^\S*make(?:\[\d+\])?: ([\w+.-]+): No such file/,
          /([\w+.-]+): (?:command )?not found/, /No such file or directory - ([\w+.-]+)/,
          %r{([\w.+/-]+\.h) is missing}i,
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

        # Returns Missing for the first missing file or program in `text` that the table lists, or nil.
        def find(text)
          PATTERNS.each do |pattern|
            text.scan(pattern) do |(found)|
              missing = known(found)
              return missing if missing
            end
          end
          nil
        end

        # found: a header, the bare name of a library, or a program.
        def known(found)
          found = "ruby.h" if found == "ruby"
          names = [found, "-l#{found}", *SAME.filter_map { |name, pattern| name if pattern.match?(found) }]
                  .filter_map { |name| TABLE[name] || ([name] * 4 if PLAIN.include?(name)) }.first
          Missing.new(found, NAMES.keys.zip(names).reject { |_, name| name == "-" }.to_h) if names
        end

        # The current system, from /etc/os-release; nil if the table does not list it.
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
end
