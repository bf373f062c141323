# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      class Selection
        # This machine by node's names. Checks whether it supports a package, by os, cpu, libc and engines of the
        # package's entry.
        class Machine
          CPUS = { "x86_64" => "x64", "amd64" => "x64", "aarch64" => "arm64", "i386" => "ia32", "i486" => "ia32",
                   "i586" => "ia32", "i686" => "ia32", "powerpc64le" => "ppc64", "ppc64le" => "ppc64" }.freeze
          OSES = { "mingw" => "win32", "mswin" => "win32", "solaris" => "sunos" }.freeze
          # Platform names in a package's name, used if its entry has none (pnpm 12).
          NAMED_OS = %w[aix android darwin freebsd linux netbsd openbsd openharmony sunos win32]
                     .to_h { |name| [name, name] }
                     .merge("macos" => "darwin", "osx" => "darwin", "windows" => "win32").freeze
          NAMED_CPU = %w[arm arm64 ia32 loong64 mips64el ppc64 riscv64 s390x x64 wasm32]
                      .to_h { |name| [name, name] }
                      .merge("armv6" => "arm", "armv7" => "arm", "aarch64" => "arm64", "ppc64le" => "ppc64",
                             "amd64" => "x64").freeze
          NAMED_LIBC = { "glibc" => "glibc", "gnu" => "glibc", "gnueabihf" => "glibc", "musl" => "musl",
                         "musleabihf" => "musl" }.freeze
          NONE = [nil, nil, nil].freeze

          # This machine. supported: supportedArchitectures, { "os" => [...], ... }. major: of pnpm. node: callable that
          # returns node's version, or nil.
          def self.local(supported, major, node)
            platform = Platform.local
            os = OSES.find { |name, _| platform.os.start_with?(name) }&.last || platform.os
            supported = {} unless supported.is_a?(Hash)
            new(os, CPUS.fetch(platform.cpu, platform.cpu), os == "linux" ? platform.libc || "glibc" : "unknown",
                supported: supported, major: major, node: node)
          end

          attr_reader :os, :cpu, :libc

          def initialize(os, cpu, libc, supported: {}, major: 12, node: -> {})
            @os = os
            @cpu = cpu
            @libc = libc
            @supported = supported
            @major = major
            @node = node
            @engines = {}
          end

          # Whether pnpm installs an unfit package that an optional package requires as a regular dependency.
          def strict_edges? = @major >= 12

          def node_version
            return @node_version if defined?(@node_version)

            @node_version = @node.call
          end

          # The properties of the machine that a plan depends on.
          def to_s = [os, cpu, libc, @supported.sort, (@node_version if defined?(@node_version))].join(" ")

          # snapshot: Lockfile::Snapshot of an optional package.
          def fit?(snapshot)
            entry = snapshot.entry
            os, cpu, libc = wanted(snapshot)
            axis?("os", @os, os) && axis?("cpu", @cpu, cpu) && (@libc == "unknown" || axis?("libc", @libc, libc)) &&
              engine?(entry["engines"])
          end

          private

          def wanted(snapshot)
            declared = snapshot.entry.values_at("os", "cpu", "libc").map { |each| each && Array(each) }
            return declared if @major < 12 || declared.all?

            named = named(snapshot.name)
            return declared if declared.none? && named.first.nil?

            declared.zip(named).map { |one, other| one || other }
          end

          def named(name)
            words = name[(name.index("/") || -1) + 1..].downcase.split(/[-_.]/)
            [NAMED_OS, NAMED_CPU, NAMED_LIBC].map do |known|
              found = words.filter_map { |word| known[word] }.uniq
              found unless found.empty?
            end
          end

          def axis?(axis, current, wanted)
            return true if wanted.nil? || wanted == ["any"]

            matched = false
            Array(@supported[axis] || "current").each do |value|
              case answer(value == "current" ? current : value, wanted)
              when :rejected then return false
              when :matched then matched = true
              end
            end
            matched || wanted.all? { |each| each.to_s.start_with?("!") }
          end

          def answer(value, wanted)
            wanted.each do |each|
              return :rejected if each == "!#{value}"
              return :matched if each == value
            end
            nil
          end

          def engine?(engines)
            range = engines["node"] if engines.is_a?(Hash)
            return true unless range.is_a?(String) && !range.empty? && range != "*"

            @engines.fetch(range) { @engines[range] = node_version.nil? || in?(range) }
          end

          def in?(range) = Npm::Semver.satisfies?(node_version, range, prereleases: true)
        end
      end
    end
  end
end
