# frozen_string_literal: true

require "fileutils"
require "shellwords"
require_relative "emulator"
require_relative "inside"

module Fresh
  # A Debian with only ruby and git, as an archive. It is built once, and unpacked for each room.
  class Base
    SUITES = { "debian12" => "bookworm", "debian13" => "trixie" }.freeze
    PACKAGES = "ca-certificates,ruby,git"
    SCRIPTS = "/usr/share/debootstrap/scripts"
    # The settings with which this machine's apt reaches its mirror, and accepts a mirror with an expired Release file.
    APT_SETTING = /^Acquire::.*(Proxy|Check-)/
    # Installs the lowest Ruby from version $1 on, and makes `ruby` run it. Debian's Rubies are in /usr/bin.
    ADD_RUBY = <<~'SH'
      apt-get update -qq
      for version in $(apt-cache pkgnames ruby | sed -n 's/^ruby\([0-9]\+\.[0-9]\+\)$/\1/p' | sort -V); do
        if dpkg --compare-versions "$version" ge "$1"; then found=$version; break; fi
      done
      [ -n "${found:-}" ] || { echo "no Ruby from $1 on"; exit 1; }
      apt-get install -qq -y --no-install-recommends "ruby$found" "ruby$found-dev"
      ln -sf "ruby$found" /usr/bin/ruby
    SH

    attr_reader :name, :cache

    # name: a key of SUITES, the lowest version of Ruby ("3.4"), or any suite. arch: see Options.
    def initialize(name, cache, arch: nil)
      @name = [name, *arch].join("-")
      @cache = cache
      @arch = arch
      @version = name[/\A\d.*/]
      @suite = SUITES.fetch(name) { @version ? "sid" : name }
    end

    def archive = File.join(@cache, "#{@name}.tar")

    def forget = FileUtils.rm_f(archive)

    # Prepares the kernel for the base's programs. Call this before the first of them runs.
    def ready = (Emulator.new(@arch).ready if @arch)

    # Unpacks the base into a new folder. Builds it first if needed; only one process does so at a time.
    def unpack(folder)
      FileUtils.mkdir_p(@cache)
      File.open("#{archive}.lock", "w") do |lock|
        lock.flock(File::LOCK_EX)
        make unless File.exist?(archive)
      end
      FileUtils.mkdir_p(folder)
      tar("-xf", archive, "-C", folder)
    end

    private

    def make
      raise Unable, "needs root, for debootstrap and chroot" unless Process.euid.zero?
      raise Unable, "needs debootstrap (bin/setup)" unless File.directory?(SCRIPTS)
      raise Unable, "debootstrap here knows no #{@suite}" unless File.exist?(File.join(SCRIPTS, @suite))

      folder = "#{archive}.part"
      half_made = [folder, "#{folder}.tar"]
      FileUtils.rm_rf(half_made, secure: true)
      fill(folder)
      tar("-cf", "#{folder}.tar", "--one-file-system", "-C", folder, ".")
      File.rename("#{folder}.tar", archive)
    ensure
      FileUtils.rm_rf(half_made, secure: true) if half_made
    end

    def fill(folder)
      logged(*Inside::UNSHARE, "debootstrap", "--variant=minbase", "--include=#{PACKAGES}",
             *("--arch=#{@arch}" if @arch), @suite, folder, mirror)
      File.write(File.join(folder, "etc/apt/apt.conf.d/90lent"), apt_settings)
      inside = Inside.new(folder)
      inside.lend
      return unless @version

      File.write(File.join(folder, "etc/apt/sources.list.d/experimental.list"), "deb #{mirror} experimental main\n")
      logged(*inside.command(%w[sh -euc] + [ADD_RUBY, "sh", @version]))
    end

    def mirror
      sites = IO.popen(["apt-get", "indextargets", "--format", "$(SITE)"], &:readlines).map(&:chomp)
      sites.find { |site| site.match?(%r{/debian/?\z}) } || raise(Unable, "apt has no Debian mirror here")
    end

    def apt_settings = IO.popen(%w[apt-config dump], &:readlines).grep(APT_SETTING).join

    def tar(*words)
      system("tar", *words) or raise Unable, "tar failed: #{words.shelljoin}"
    end

    def logged(*command)
      log = "#{archive}.log"
      return if Inside.perform(command, in: File::NULL, %i[out err] => [log, "a"]).success?

      raise Unable, "#{@suite} cannot be made, see #{log}:\n#{File.readlines(log).last(5).join}"
    end
  end
end
