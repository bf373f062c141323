# frozen_string_literal: true

require "boot/exec_case"
require "support/test_disk"

module Spate
  # A gem on a file system image is replaced by its next version. Both have the same sizes, times, inodes, device and
  # path, since the image's author sets the times. The boot must run the new version.
  class FileSystemsTest < ExecCase
    PROGRAM = <<~'RUBY'
      require "local"
      require "yaml"
      more = begin
        require "local/more"
      rescue LoadError
        false
      end
      puts [Local::VERSION, YAML.load_file("local/data.yml"), more].inspect
      puts Spate::Boot.session.parts[:replay], Spate::Native::Loader.counts[:hit].positive?
    RUBY
    FILES = {
      "1.0" => { "lib/local.rb" => "module Local; VERSION = '1.0'; end\n", "data.yml" => "'1.0'\n",
                 "lib/local/none.rb" => "" },
      "1.1" => { "lib/local.rb" => "module Local; VERSION = '1.1'; end\n", "data.yml" => "'1.1'\n",
                 "lib/local/more.rb" => "" }
    }.freeze
    GEMSPECS = %w[lib lab].to_h { |name| [name, GEMSPEC.sub("spec.bindir", "spec.require_paths = ['#{name}']; \\0")] }

    %i[squashfs erofs].each do |type|
      define_method("test_another_version_on_#{type}") do
        disk(type, "1.0", FILES["1.0"])
        program = boot_twice(write("app/program.rb", PROGRAM))
        assert_equal ["[\"1.0\", \"1.0\", false]", "true", "true"], program

        disk(type, "1.1", FILES["1.1"])
        assert_equal "[\"1.1\", \"1.1\", true]", lines("app/program.rb").first
      end

      define_method("test_another_gemspec_on_#{type}") do
        disk(type, "1.0", { "lib/local.rb" => "puts :lib", "lab/local.rb" => "puts :lab",
                            "local.gemspec" => GEMSPECS["lib"] })
        write("app/program.rb", "require 'local'; puts Spate::Boot.session.parts[:replay]")
        assert_equal %w[lib true], boot_twice("app/program.rb")

        disk(type, "1.1", { "lib/local.rb" => "puts :lib", "lab/local.rb" => "puts :lab",
                            "local.gemspec" => GEMSPECS["lab"] })
        assert_equal "lab", lines("app/program.rb").first
      end
    end

    # A rebuild would be useless, since the next boot would read as much.
    def test_boot_from_a_disk_compile_cache_is_not_rebuilt_each_time
      disk(:squashfs, "1.0", FILES["1.0"])
      boot_twice(write("app/program.rb", PROGRAM))
      assert(Array.new(3) { rebuilt? }.include?(false), "it is rebuilt each time")
    end

    def rebuilt?
      before = File.stat(cache).ino
      File.utime(Time.now - 600, Time.now - 600, cache)
      lines("app/program.rb", SPATE_BOOT_BACKGROUND: "1")
      sleep 0.5
      wait { unlocked? }
      before != File.stat(cache).ino
    end

    def teardown
      @disk&.unmount
      super
    end

    private

    # Mounts an image with these files at the path of the gem. Skips the test if this file system cannot be mounted.
    def disk(type, name, files)
      obstacle = TestDisk.obstacle(type) and skip obstacle
      source = "source-#{name}"
      { "local.gemspec" => GEMSPEC }.merge(files).each { |path, text| write("#{source}/#{path}", text) }
      @disk&.unmount
      @disk = TestDisk.new(type, File.join(folder, "#{name}.compiled"), source: File.join(folder, source))
      @disk.mount(project.path("local"))
    rescue RuntimeError => e
      skip e.message.lines.first
    end

    # The output lines of the second boot.
    def boot_twice(program)
      build("ruby", File.expand_path(program, folder))
      lines(program)
    end

    def lines(program, **env) = spate_exec("ruby", File.expand_path(program, folder), **env).first.lines(chomp: true)
  end
end
