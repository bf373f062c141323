# frozen_string_literal: true

module Spate
  module JS
    module Npm
      # This machine's platform and versions, by npm's names: evaluates a package's `os`, `cpu`, `libc` and `engines`.
      class Machine
        autoload :DevEngines, "spate/js/npm/machine/dev_engines"

        SYSTEMS = { "linux" => "linux", "darwin" => "darwin", "mswin" => "win32", "mingw" => "win32",
                    "freebsd" => "freebsd", "openbsd" => "openbsd", "solaris" => "sunos", "aix" => "aix" }.freeze
        PROCESSORS = { "x86_64" => "x64", "amd64" => "x64", "aarch64" => "arm64", "arm64" => "arm64", "i386" => "ia32",
                       "i486" => "ia32", "i586" => "ia32", "i686" => "ia32", "ppc64le" => "ppc64",
                       "powerpc64le" => "ppc64", "powerpc64" => "ppc64", "loongarch64" => "loong64" }.freeze
        # The text of this file distinguishes glibc from musl. npm reads it for the same purpose.
        LDD = "/usr/bin/ldd"

        # The platforms of a package, for messages.
        def self.platforms(data) = %w[os cpu libc].flat_map { |field| Array(data[field]) }.join(", ")

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

        def platforms = [os, cpu].join(", ")

        # Whether `os`, `cpu` and `libc` allow the package here. optional: whether the configured values replace this
        # machine's.
        def runs?(data, optional: false)
          fits?(data["os"]) { wished("os", optional) || os } &&
            fits?(data["cpu"]) { wished("cpu", optional) || cpu } &&
            fits?(data["libc"]) { wished("libc", optional) || (libc if (wished("os", optional) || os) == "linux") }
        end

        # Whether `engines` allows the package on this machine. True without node.
        def engines?(data)
          engines = data["engines"]
          return true unless engines.is_a?(Hash) && (engines["node"] || engines["npm"])

          Engines.fit?(engines, @tooling)
        end

        # Whether this machine's npm is older than 12, which no longer reads npm-shrinkwrap.json.
        def old? = (1...12).cover?(@tooling.npm_version.to_i)

        private

        def wished(field, optional) = optional ? @wished[field] : nil
        def processor = @processor ||= RUBY_PLATFORM[/\A(?:universal\.)?([^-]+)/, 1]

        # An empty list allows everything. Names with "!" exclude; one of the other names must match.
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

        # Compares a package's `engines` with the node and npm of this machine. Prereleases are treated as releases.
        module Engines
          module_function

          # engines: Hash. A missing node or npm satisfies any range.
          def fit?(engines, tooling)
            satisfied?(engines["node"]) { tooling.node_version } && satisfied?(engines["npm"]) { tooling.npm_version }
          end

          def satisfied?(range)
            return true unless range.is_a?(String) && !range.empty?

            version = yield or return true
            Semver.satisfies?(version, range, prereleases: true)
          end
        end

        # The node and npm of this machine, looked up when needed.
        class Tooling
          # env: the environment, a Hash.
          def initialize(env)
            @env = env
          end

          # "20.1.0"; nil without node.
          def node_version
            return @node_version if defined?(@node_version)

            @node_version = NodeVersion.of(@env)
          end

          # "11.1.0"; nil without npm.
          def npm_version
            return @npm_version if defined?(@npm_version)

            @npm_version = JS::Project::Version.installed("npm", @env)
          end

          # The versions that a plan has used, for its fingerprint.
          def used = [(@node_version if defined?(@node_version)), (@npm_version if defined?(@npm_version))]
        end

        # The version of the node on PATH, from its header file or else from its output. Cached for the process.
        module NodeVersion
          HEADER = "../include/node/node_version.h"

          @mutex = Mutex.new
          @answers = {}

          # "20.1.0"; nil without node. env: the environment for node.
          def self.of(env)
            program = Tools::Program.find("node", env["PATH"]) or return
            path = File.realpath(program)
            from_header(path) || begin
              # A wrapper that selects a version may select another one next time.
              Reading.unsure unless File.basename(path).start_with?("node") && File.binread(path, 2) != "#!"
              @mutex.synchronize { @answers.fetch(program) { @answers[program] = ask(program, env.to_h) } }
            end
          rescue SystemCallError
            nil
          end

          def self.from_header(path)
            text = File.read(File.expand_path(HEADER, File.dirname(path)), encoding: Encoding::BINARY)
            numbers = %w[MAJOR MINOR PATCH].map { |part| text[/^#define NODE_#{part}_VERSION (\d+)/, 1] }
            numbers.join(".") if numbers.all? && text.match?(/^#define NODE_VERSION_IS_RELEASE 1/)
          rescue SystemCallError
            nil
          end

          def self.ask(program, env)
            IO.popen(env, [program, "--version"], in: File::NULL, err: File::NULL, &:read)[/\Av(\d\S*)/, 1]
          end
          private_class_method :from_header, :ask
        end
      end
    end
  end
end
