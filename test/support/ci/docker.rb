# frozen_string_literal: true

require_relative "machine"

module CI
  # `docker build` by buildah, without a daemon. What ruby's images have comes from this machine: its /usr, for reading.
  # So the layers hold only what the recipe makes.
  class Docker
    IMAGES = %w[ruby:4.0 ruby:4.0-slim].freeze
    # Of this machine's root: what its programs look for outside of /usr.
    LINKS = %w[bin lib lib64 sbin].freeze
    ETC = %w[passwd group ld.so.cache alternatives].freeze
    FOLDERS = %w[etc tmp root run var/tmp usr/local/bundle proc sys dev].freeze
    PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

    # Why there is none here, nil where there is.
    def self.lacking
      return "there is no buildah" unless ServerProgram.find("buildah")
      return "only root has buildah without another user namespace" unless Process.euid.zero?

      "its images have /usr, and this Ruby is #{RbConfig.ruby}" unless RbConfig.ruby.start_with?("/usr/")
    end

    # folder: for images, layers and mounts. programs: see Machine.programs. Raises Failed where no image can be made.
    def initialize(folder, programs:)
      @folder = folder
      @programs = programs
      FileUtils.mkdir_p("#{folder}/tmp")
      make_images
    end

    # A folder with a program `docker` that knows `build` with the options that the recipes use.
    def program(folder)
      FileUtils.mkdir_p(folder)
      Machine.script(folder, "docker", <<~SH)
        [ "$1" = build ] || { echo "docker $1: not here" >&2; exit 1; }
        shift
        #{build} "$@" 2>&1
      SH
      folder
    end

    # Runs a command line in an image, as its user and with its variables: a build of one line more. Answers its output
    # and Process::Status.
    def run(image, line)
      FileUtils.mkdir_p("#{@folder}/run")
      File.write("#{@folder}/run/Dockerfile", "FROM #{image}\nRUN #{line}\n")
      Open3.capture2e("sh", "-c", "#{build} #{@folder}/run")
    end

    # All that layers hold of an image and of what it was made from.
    def layers
      Dir.glob("#{@folder}/storage/*/*/diff/**/*", File::FNM_DOTMATCH).select { |path| File.lstat(path).file? }
    end

    # What is in cache mounts goes, as on another runner.
    def forget_mounts = FileUtils.rm_rf(Dir.glob("#{@folder}/tmp/buildah-cache*"))

    # What a build that was killed has left mounted.
    def stop
      mounts = File.readlines("/proc/self/mounts").map { |line| line.split[1] }
      mounts.reverse_each { |path| system("umount", "-l", path) if path.start_with?("#{@folder}/") }
    end

    private

    def buildah = "TMPDIR=#{@folder}/tmp buildah --root #{@folder}/storage --runroot #{@folder}/state"
    def build = "#{buildah} bud --isolation chroot --layers=false --pull-never #{volumes}"

    # The programs come before all others on the PATH of an image.
    def volumes
      [%w[/usr /usr], [Machine::ROOT] * 2, [@programs, "/usr/local/sbin"]]
        .map { |from, to| "--volume #{from}:#{to}:ro" }.join(" ")
    end

    def make_images
      root = "#{@folder}/root"
      FileUtils.mkdir_p(FOLDERS.map { |path| "#{root}/#{path}" })
      LINKS.each { |name| File.symlink("usr/#{name}", "#{root}/#{name}") if File.symlink?("/#{name}") }
      ETC.each { |name| FileUtils.cp_r("/etc/#{name}", "#{root}/etc/") if File.exist?("/etc/#{name}") }
      File.chmod(0o1777, "#{root}/tmp", "#{root}/var/tmp")
      File.write("#{@folder}/Dockerfile", "FROM scratch\nCOPY root /\nENV PATH=#{PATH}\nRUN ruby -v\n")
      tags = IMAGES.map { |name| "--tag localhost/#{name}" }.join(" ")
      said, status = Open3.capture2e("sh", "-c", "#{build} #{tags} #{@folder}")
      raise Failed, said unless status.success?
    end
  end
end
