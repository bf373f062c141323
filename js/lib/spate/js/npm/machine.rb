# frozen_string_literal: true

module Spate
  module JS
    module Npm
      # This machine from npm's point of view: evaluates a package's `os`, `cpu`, `libc` and `engines`.
      class Machine
        autoload :DevEngines, "spate/js/npm/machine/dev_engines"
        autoload :Engines, "spate/js/npm/machine/engines"
        autoload :NodeVersion, "spate/js/npm/machine/node_version"
        autoload :Tooling, "spate/js/npm/machine/tooling"

        SYSTEMS = { "linux" => "linux", "darwin" => "darwin", "mswin" => "win32", "mingw" => "win32",
                    "freebsd" => "freebsd", "openbsd" => "openbsd", "solaris" => "sunos", "aix" => "aix" }.freeze
        PROCESSORS = { "x86_64" => "x64", "amd64" => "x64", "aarch64" => "arm64", "arm64" => "arm64", "i386" => "ia32",
                       "i486" => "ia32", "i586" => "ia32", "i686" => "ia32", "ppc64le" => "ppc64",
                       "powerpc64le" => "ppc64", "powerpc64" => "ppc64", "loongarch64" => "loong64" }.freeze
        # Its text tells glibc from musl; so npm finds out.
        LDD = "/usr/bin/ldd"

        # The platforms of a package, for messages.
        def self.told(data) = %w[os cpu libc].flat_map { |field| Array(data[field]) }.join(", ")

        # configuration: its `os`, `cpu` and `libc` select optional packages for another machine.
        def initialize(configuration, tooling)
          @wished = %w[os cpu libc].to_h { |field| [field, configuration[field]] }
          @tooling = tooling
        end

        def os = @os ||= SYSTEMS.find { |name, _| RUBY_PLATFORM.include?(name) }&.last || RUBY_PLATFORM
        def cpu = @cpu ||= PROCESSORS.fetch(processor) { processor[/\Aarm/] || processor }

        # "glibc", "musl", or nil.
        def libc
          return @libc if defined?(@libc)

          @libc = os == "linux" ? family : nil
        end

        def told = [os, cpu].join(", ")

        # Whether `os`, `cpu` and `libc` let it. optional: the configuration's wishes count.
        def runs?(data, optional: false)
          fits?(data["os"]) { wish("os", optional) || os } &&
            fits?(data["cpu"]) { wish("cpu", optional) || cpu } &&
            fits?(data["libc"]) { wish("libc", optional) || (libc if (wish("os", optional) || os) == "linux") }
        end

        # Whether `engines` allow it. True without node.
        def engines?(data)
          engines = data["engines"]
          return true unless engines.is_a?(Hash) && (engines["node"] || engines["npm"])

          Engines.fit?(engines, @tooling)
        end

        # Whether this machine's npm is older than 12, which no longer reads npm-shrinkwrap.json.
        def old? = (1...12).cover?(@tooling.npm_version.to_i)

        private

        def wish(field, optional) = optional ? @wished[field] : nil
        def processor = @processor ||= RUBY_PLATFORM[/\A(?:universal\.)?([^-]+)/, 1]

        # No list lets everything through; names with "!" refuse, of the others one has to be it.
        def fits?(list)
          return true if list.nil? || list == []

          list = Array(list)
          return true if list == ["any"]

          value = yield or return false
          refused, asked = list.partition { |name| name.is_a?(String) && name.start_with?("!") }
          refused.none? { |name| name[1..] == value } && (asked.empty? || asked.include?(value))
        end

        def family
          text = File.read(LDD, encoding: Encoding::BINARY)
          return "musl" if text.include?("musl")

          "glibc" if text.include?("GNU C Library")
        rescue SystemCallError
          RUBY_PLATFORM.include?("musl") ? "musl" : "glibc"
        end
      end
    end
  end
end
