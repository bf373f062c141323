# frozen_string_literal: true

require "fileutils"
require "open3"

module Spate
  # A file system for a test: an image that is mounted through a loop device. This requires root.
  class TestDisk
    # Command that makes an image, empty or from a folder, and its mount options. chosen: ext4 from a folder, whose
    # inodes have nanoseconds, but whose times are in whole seconds; reading a file sets its atime.
    TYPES = {
      ext4: { command: %w[mkfs.ext4 -q -F -I 128 -O ^has_journal IMAGE], options: "loop" },
      chosen: { command: %w[mkfs.ext4 -q -F -I 256 -O ^has_journal -d FOLDER IMAGE 16M], options: "loop,strictatime" },
      vfat: { command: %w[mkfs.vfat IMAGE], options: "loop" },
      squashfs: { command: %w[mksquashfs FOLDER IMAGE -quiet -no-progress -noappend -all-time 1000000],
                  options: "loop,ro" },
      erofs: { command: %w[mkfs.erofs -T 1000000 IMAGE FOLDER], options: "loop,ro" }
    }.freeze
    BYTES = 16 << 20

    class << self
      # The reason why this type cannot be used here, or nil.
      def obstacle(type)
        program = TYPES.fetch(type)[:command].first
        return "needs root, for mounts" unless Process.euid.zero?
        return "needs /dev/loop-control" unless File.exist?("/dev/loop-control")

        "needs #{program} (bin/setup)" unless find(program)
      end

      def find(program)
        [*ENV.fetch("PATH").split(":"), "/usr/sbin", "/sbin"].map { |folder| File.join(folder, program) }
                                                             .find { |path| File.executable?(path) }
      end
    end

    # source: a folder whose files are put into the image.
    def initialize(type, image, source: nil)
      @options = TYPES.fetch(type)[:options]
      @type = type
      @image = image
      File.open(image, "w") { |file| file.truncate(BYTES) unless source }
      program, *words = TYPES.fetch(type)[:command]
      words = words.map { |word| { "IMAGE" => image, "FOLDER" => source.to_s }.fetch(word, word) }
      run(TestDisk.find(program), *words)
      choose_times(source) if type == :chosen
    end

    # Mounts the image on a folder, which is created. Raises RuntimeError if the mount fails.
    def mount(folder)
      FileUtils.mkdir_p(folder)
      run("mount", "-t", @type == :chosen ? "ext4" : @type.to_s, "-o", @options, @image, folder)
      @folder = folder
    end

    def unmount
      system("umount", "-l", @folder, err: File::NULL) if @folder
      @folder = nil
    end

    private

    # mkfs copies the time of each file. This sets all times to whole seconds.
    def choose_times(source)
      paths = Dir.glob("**/*", base: source).map { |path| "/#{path}" }
      ["/", *paths].product(%w[ctime mtime]) do |path, time|
        run(TestDisk.find("debugfs"), "-w", "-R", "set_inode_field #{path} #{time} @1000000", @image)
      end
    end

    def run(*command)
      output, status = Open3.capture2e(*command)
      raise "#{command.join(" ")}: #{output}" unless status.success?
    end
  end
end
