# frozen_string_literal: true

require_relative "compile_cache_case"
require "support/test_disk"

module Spate
  module CompileCache
    # File systems with times in whole seconds or two seconds. A change in the second in which a file was recorded does
    # not change its times, but must be noticed.
    class CoarseTimesTest < CompileCacheCase
      # Several attempts, because a second may end between two steps.
      TRIES = 20

      %i[ext4 vfat].each do |type|
        define_method("test_an_edit_in_the_second_of_compilation_on_#{type}") do
          disk(type)
          file = in_one_second("disk/thing.rb") do |path|
            File.write(path, "puts 1")
            build(recorded: [path])
            File.write(path, "puts 2")
          end
          assert_equal ["2", "thing.rb stale"], load_files(file)
        end

        define_method("test_a_new_file_in_the_second_of_a_scan_on_#{type}") do
          disk(type)
          root = in_one_second("disk/lib") do |path|
            FileUtils.mkdir_p(path)
            FileUtils.rm_f("#{path}/new.rb")
            sleep 0.05
            @load_path_cache = LoadPathCache.build([path])
            File.write("#{path}/new.rb", "")
          end
          assert_equal "#{root}/new.rb", find("new", root)
        end

        define_method("test_a_new_file_in_the_second_of_a_look_on_#{type}") do
          disk(type)
          @load_path_cache = nil
          root = in_one_second("disk/lib") do |path|
            FileUtils.mkdir_p(path)
            FileUtils.rm_f("#{path}/new.rb")
            sleep 0.05
            refute find("new", path)
            File.write("#{path}/new.rb", "")
          end
          assert_equal "#{root}/new.rb", find("new", root)
        end
      end

      def teardown
        $LOAD_PATH.replace(@load_path) if @load_path
        Native::Requirer.use(nil)
        @disk&.unmount
        super
      end

      private

      def disk(type)
        obstacle = TestDisk.obstacle(type) and skip obstacle
        @disk = TestDisk.new(type, File.join(folder, "disk.image"))
        @disk.mount(File.join(folder, "disk"))
      rescue RuntimeError => e
        skip e.message.lines.first
      end

      # Yields a path until the block starts and ends within one second. Returns the path.
      def in_one_second(name)
        path = File.join(folder, name)
        TRIES.times do
          File.open("#{path}.before", "w", &:close)
          yield path
          times = ["#{path}.before", path].map { |one| File.stat(one).ctime }
          return path if times.uniq.one?
        end
        flunk "not within a second in #{TRIES} times"
      end

      def find(feature, root)
        @load_path ||= $LOAD_PATH.dup
        Native::Requirer.use(@load_path_cache)
        $LOAD_PATH.replace([root])
        Native::Requirer.find(feature)
      ensure
        $LOAD_PATH.replace(@load_path)
      end
    end
  end
end
