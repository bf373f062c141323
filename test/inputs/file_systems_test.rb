# frozen_string_literal: true

require_relative "inputs_case"
require "support/test_disk"

module Spate
  # File systems whose times prove nothing: another version with the same times and inodes, an edit in the same second.
  class InputsFileSystemsTest < InputsCase
    def teardown
      @disk&.unmount
      super
    end

    def place = File.join(@root, "disk")

    %i[squashfs erofs].each do |type|
      define_method("test_another_version_on_#{type}") do
        mount(type, "1.0", "a.h" => "1.0", "b.h" => "")
        record([:file, "#{place}/a.h"])
        absent = record_beside([:absent, "#{place}/c.h"])
        assert_holds
        mount(type, "1.1", "a.h" => "1.1", "c.h" => "")
        assert_changed :content, "#{place}/a.h"
        assert_equal [:appeared, "#{place}/c.h"], Inputs.check(absent, @roots).first(2)
      end

      define_method("test_nothing_is_renewed_for_ever_on_#{type}") do
        mount(type, "1.0", "a.h" => "1.0")
        record([:file, "#{place}/a.h"], [:listed, place])
        grow_old
        assert_holds
      end
    end

    %i[ext4 vfat].each do |type|
      define_method("test_an_edit_in_the_second_of_the_record_on_#{type}") do
        mount(type)
        5.times do |i|
          path = "#{place}/a#{i}.h"
          File.write(path, "one")
          sleep 0.1
          record([:file, path], [:absent, "#{place}/new#{i}"])
          File.write(path, "two")
          assert_changed :content, path
          File.write(path, "one")
          FileUtils.touch("#{place}/new#{i}")
          assert_changed :appeared, "#{place}/new#{i}"
        end
      end
    end

    private

    def record_beside(entry)
      "#{@root}/other".tap { |path| assert_nil Inputs.write(path, [entry], @roots) }
    end

    def mount(type, version = nil, files = {})
      obstacle = TestDisk.obstacle(type) and skip obstacle
      @disk&.unmount
      files.each { |name, content| write("#{version}/#{name}", content) }
      source = File.join(folder, version) if version
      @disk = TestDisk.new(type, "#{@root}/image-#{version}", source: source)
      @disk.mount(place)
    rescue RuntimeError => e
      skip e.message.lines.first
    end
  end
end
