# frozen_string_literal: true

require "fileutils"
require "open3"

module Spate
  # A file system of a test's own: an image that is mounted by loop, for root.
  class TestDisk
    # The command that makes an image, of nothing or of a folder, and the options of its mount. chosen: ext4 of a folder,
    # with room for nanoseconds in its inodes, and times in whole seconds; reading a file sets its atime.
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
      # Why there can be none of this type here, nil where there can.
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

    # source: the folder that an image is made of.
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

    # Mounts it, in place of itself where it is mounted; raises where this kernel does not.
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

    # mkfs gives each file the times of its source.
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
