# frozen_string_literal: true

require_relative "machine"

module CI
  # `docker build` with buildah, without a daemon. The files of Ruby's images are this machine's /usr, read-only, so
  # that the layers contain only the results of the recipe.
  class Docker
    IMAGES = %w[ruby:4.0 ruby:4.0-slim].freeze
    # Folders in the root of this machine that its programs need in addition to /usr.
    LINKS = %w[bin lib lib64 sbin].freeze
    ETC = %w[passwd group ld.so.cache alternatives].freeze
    FOLDERS = %w[etc tmp root run var/tmp usr/local/bundle proc sys dev].freeze
    PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

    # The reason why it cannot run here, or nil.
    def self.lacking
      return "buildah is missing" unless ServerProgram.find("buildah")
      return "buildah needs root to run without a user namespace" unless Process.euid.zero?

      "its images have /usr, and this Ruby is #{RbConfig.ruby}" unless RbConfig.ruby.start_with?("/usr/")
    end

    # folder: for images, layers and mounts. programs: see Machine.programs. Raises Failed if no image can be built.
    def initialize(folder, programs:)
      @folder = folder
      @programs = programs
      FileUtils.mkdir_p("#{folder}/tmp")
      make_images
    end

    # Writes a program `docker` that supports `build` with the options of the recipes. Returns its folder.
    def program(folder)
      FileUtils.mkdir_p(folder)
      Machine.script(folder, "docker", <<~SH)
        [ "$1" = build ] || { echo "docker $1: not here" >&2; exit 1; }
        shift
        #{build} "$@" 2>&1
      SH
      folder
    end

    # Runs a command line in an image, with the image's user and variables, as an additional line of a build. Returns
    # its output and Process::Status.
    def run(image, line)
      FileUtils.mkdir_p("#{@folder}/run")
      File.write("#{@folder}/run/Dockerfile", "FROM #{image}\nRUN #{line}\n")
      Open3.capture2e("sh", "-c", "#{build} #{@folder}/run")
    end

    # All files in the layers of an image and its base.
    def layers
      Dir.glob("#{@folder}/storage/*/*/diff/**/*", File::FNM_DOTMATCH).select { |path| File.lstat(path).file? }
    end

    # Empties the cache mounts, which simulates another runner.
    def forget_mounts = FileUtils.rm_rf(Dir.glob("#{@folder}/tmp/buildah-cache*"))

    # Unmounts what a killed build left.
    def stop
      mounts = File.readlines("/proc/self/mounts").map { |line| line.split[1] }
      mounts.reverse_each { |path| system("umount", "-l", path) if path.start_with?("#{@folder}/") }
    end

    private

    def buildah = "TMPDIR=#{@folder}/tmp buildah --root #{@folder}/storage --runroot #{@folder}/state"
    def build = "#{buildah} bud --isolation chroot --layers=false --pull-never #{volumes}"

    # Options for the mounts. The programs come first in the PATH of an image.
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
