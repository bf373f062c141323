# frozen_string_literal: true

module Spate
  # The platform for which a package was built, or the platform of this machine. Behaves like the newest version of
  # Gem::Platform (including libc variants of Linux), regardless of the installed RubyGems and without loading it.
  #
  # Matching is not commutative: the receiver is the package's platform, the argument the machine's. "No version" means
  # glibc for a Linux package, and every version for packages of other systems.
  class Platform
    # Parses a platform's name: "<cpu>-<os><version>", or only an operating system.
    #
    # @!visibility private
    module Name
      # Patterns for each operating system, whose group captures the version. The first match is used.
      SYSTEMS = [
        [/aix-?(\d+)?/, "aix"],
        [/cygwin/, "cygwin"],
        [/darwin-?(\d+)?/, "darwin"],
        [/^macruby-?(\d+(?:\.\d+)*)?/, "macruby"],
        [/freebsd-?(\d+)?/, "freebsd"],
        [/^java-?(\d+(?:\.\d+)*)?|\Ajruby\z/, "java"],
        [/^dalvik-?(\d+)?$/, "dalvik"],
        [/^dotnet-?(\d+(?:\.\d+)*)?/, "dotnet"],
        [/linux-?(\w+)?/, "linux"],
        [/mingw32/, "mingw32"],
        [/mingw-?(\w+)?/, "mingw"],
        [/mswin32(?:[_-](\d+))?/, "mswin32"],
        [/mswin64(?:[_-](\d+))?/, "mswin64"],
        [/netbsdelf/, "netbsdelf"],
        [/openbsd-?(\d+\.\d+)?/, "openbsd"],
        [/solaris-?(\d+\.\d+)?/, "solaris"],
        [/wasi/, "wasi"]
      ].freeze

      # [cpu or nil, os, version or nil]
      def self.split(name)
        cpu, system = name.sub(/-+\z/, "").split("-", 2)
        cpu = "x86" if cpu&.match?(/i\d86/)
        cpu, system = nil, cpu if system.nil?

        SYSTEMS.each do |pattern, os|
          next unless (found = pattern.match(system))

          cpu = "x86" if cpu.nil? && os == "mswin32"
          return [cpu, os, found[1]]
        end
        [cpu, "unknown", nil]
      end
    end

    # @return [String, nil] "x86_64", "arm64", "universal"
    attr_reader :cpu
    # @return [String] "linux", "darwin", "java"
    attr_reader :os
    # @return [String, nil] "musl", "22"
    attr_reader :version

    class << self
      # The platform of a name. The same name returns the same object.
      #
      # @param name [String, Platform, nil] as written in a lockfile: "ruby", "x86_64-linux-musl", "java"
      # @return [Platform]
      def parse(name)
        return name if name.is_a?(Platform)
        return RUBY if name.nil? || name.empty? || name == "ruby"
        return local if name == "current"

        @parsed[name] ||= new(*COMMON.fetch(name) { Name.split(name) })
      end

      # @return [Platform] platform of the running Ruby
      def local = @local ||= from_arch(Util::Ruby.arch, RUBY_PLATFORM)

      # The platform of a Ruby.
      #
      # @param arch [String] RbConfig's "arch"
      # @param ruby_platform [String] RUBY_PLATFORM, which contains the actual processor of a universal Ruby
      # @return [Platform]
      def from_arch(arch, ruby_platform = arch)
        arch = "#{arch}_60" if arch.end_with?("mswin32", "mswin64")
        platform = parse(arch)
        return platform unless platform.cpu == "universal" && ruby_platform.start_with?("universal.")

        cpu = ruby_platform[/\Auniversal\.([^-]*)-/, 1] || "universal"
        new(cpu == "arm64e" ? "arm64" : cpu, platform.os, platform.version)
      end
    end

    # Common names, which need no pattern matching.
    COMMON = {
      "x86_64-linux" => ["x86_64", "linux", nil], "aarch64-linux" => ["aarch64", "linux", nil],
      "java" => [nil, "java", nil], "mswin32" => ["x86", "mswin32", nil], "mswin64" => [nil, "mswin64", nil],
      "universal-mingw" => ["universal", "mingw", nil], "x64-mingw32" => ["x64", "mingw32", nil]
    }.freeze
    private_constant :COMMON

    @parsed = {}
    private_class_method :new

    # @!visibility private
    def initialize(cpu, operating_system, version)
      @cpu = cpu
      @os = operating_system
      @version = version
      @name = [cpu, operating_system, version].compact.join(cpu ? "-" : "").freeze
      freeze
    end

    # The platform of packages that are pure Ruby or are compiled during installation.
    RUBY = new(nil, "ruby", nil)
    JAVA = parse("java")
    WINDOWS = [parse("mswin32"), parse("mswin64"), parse("universal-mingw"), parse("x64-mingw32")].freeze

    # @return [String] the name
    def to_s = @name
    # @!visibility private
    def inspect = "#<#{self.class} #{@name}>"
    # @return [Boolean] whether this is {RUBY}
    def ruby? = equal?(RUBY)

    # @param other [Object]
    # @return [Boolean] whether it is a platform with the same parts
    def ==(other)
      other.is_a?(Platform) && other.cpu == @cpu && other.os == @os && other.version == @version
    end
    alias eql? ==

    # @!visibility private
    def hash = @name.hash

    # Whether a package of this platform runs on a machine. A package of platform "ruby" runs everywhere. If the
    # machine's platform is "ruby" (force_ruby_platform), no other package does.
    #
    # @param local [Platform] platform of the machine
    # @return [Boolean]
    def match?(local)
      return true if ruby? || self == local
      return false if local.ruby?
      return true if both_mingw?(local)

      cpu_matches?(local) && os == local.os && version_matches?(local)
    end

    # @return [Platform] RUBY, JAVA or one of WINDOWS, the platforms that a Gemfile can specify
    def generic
      return self if ruby?

      [JAVA, *WINDOWS].find { |generic| match?(generic) } || RUBY
    end

    # The distance between a package's platform (self) and a machine's.
    #
    # @param local [Platform]
    # @return [Integer] smaller is better
    def distance(local)
      return -1 if self == local
      return 1_000_000 if ruby? || local.ruby?

      (os == local.os ? 0 : 1) + (cpu_distance(local) * 10) + (version_distance(local) * 100)
    end

    # @return [String, nil] on Linux the libc: "musl", or nil for glibc; elsewhere the version of the operating system
    def libc
      return unless @version

      name = @version.delete_prefix("gnu").sub(/eabi(?:hf)?\z/, "")
      name unless name.empty?
    end

    private

    def both_mingw?(local)
      (cpu == "universal" || local.cpu == "universal") && os.start_with?("mingw") && local.os.start_with?("mingw")
    end

    def cpu_matches?(local)
      any_cpu? || local.any_cpu? || cpu == local.cpu || (cpu == "arm" && local.cpu.start_with?("armv"))
    end

    def version_matches?(local)
      return true if version == local.version
      return version.nil? || local.version.nil? unless os == "linux"

      libc == local.libc || %W[musl#{version} musleabi#{version} musleabihf#{version}].include?(local.version)
    end

    def cpu_distance(local)
      return 0 if cpu == local.cpu || (cpu == "arm" && local.cpu.to_s.start_with?("arm"))

      any_cpu? ? 1 : 2
    end

    def version_distance(local)
      return 0 if version == local.version

      version.nil? ? 1 : 2
    end

    protected

    def any_cpu? = cpu.nil? || cpu == "universal"

    # Chooses among the variants of one gem in one version, as Bundler does. Variants are objects with `platform` (a
    # name or a Platform) and `content_address` (see ContentAddress; nil for most).
    #
    # @!visibility private
    class Choice
      def initialize(local)
        @local = local
      end

      # The variants that run on this machine, best first. Equally good variants keep their order. Content-addressed
      # variants come first.
      def sorted(specs)
        fitting = specs.select { |spec| Platform.parse(spec.platform).match?(@local) }
        return fitting if fitting.size < 2

        fitting.sort_by.with_index { |spec, index| [*rank(spec), index] }
      end

      # The closest of `specs`, and all others with the same distance.
      def closest(specs)
        sorted = sorted(specs)
        nearest = sorted.first or return []

        rank = rank(nearest)
        sorted.take_while { |spec| rank(spec) == rank }
      end

      private

      def rank(spec) = [spec.content_address ? 0 : 1, Platform.parse(spec.platform).distance(@local)]
    end
  end
end
