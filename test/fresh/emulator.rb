# frozen_string_literal: true

require_relative "options"

module Fresh
  # Makes the kernel run programs of a different architecture with Debian's qemu-user-static. systemd registers it at
  # boot (binfmt.d(5)). Without systemd it is registered here, until the next boot.
  class Emulator
    KERNEL = "/proc/sys/fs/binfmt_misc"
    RULES = "/usr/lib/binfmt.d"
    # Debian's names of architectures for which qemu has a different name.
    PROCESSORS = { "amd64" => "x86_64", "arm64" => "aarch64", "armhf" => "arm", "ppc64el" => "ppc64le" }.freeze

    # arch: Debian's name, e.g. "arm64".
    def initialize(arch, kernel: KERNEL, rules: RULES)
      @arch = arch
      @name = "qemu-#{PROCESSORS.fetch(arch, arch)}"
      @kernel = kernel
      @rules = rules
    end

    def ready
      return if own? || known?
      raise Unable, "nothing here runs programs of #{@arch} (apt-get install qemu-user-static)" unless File.exist?(rule)

      mount unless File.exist?(registry)
      File.write(registry, File.readlines(rule).grep(/\A:/).first)
    rescue SystemCallError => e
      raise Unable, "the kernel takes no emulator of #{@arch}: #{e.message}"
    end

    private

    def rule = File.join(@rules, "#{@name}.conf")
    def registry = File.join(@kernel, "register")
    def known? = File.exist?(File.join(@kernel, @name))
    def own? = IO.popen(%w[dpkg --print-architecture], &:read).chomp == @arch

    def mount
      system("mount", "-t", "binfmt_misc", "binfmt_misc", @kernel) or raise Unable, "binfmt_misc cannot be mounted"
    end
  end
end
