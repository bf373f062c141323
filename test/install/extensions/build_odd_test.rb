# frozen_string_literal: true

require "install/build_learning_case"

# Unusual things that a build may do. The install must not hang, and no result may be stale.
class BuildOddTest < BuildLearningCase
  def test_pipes_and_devices_in_the_result
    plain("system('mkfifo ../../lib/pipe.rb ../../lib/other pipe.log')\n" \
          "system('mknod ../../lib/zero c 1 5') if Process.euid.zero?")
    assert_equal BUILT, install(another("alpha"))
    assert_equal HIT, install(another("alpha"))
  end

  def test_a_pipe_on_the_path_and_above_the_bundle
    plain("system('flavour-tool')\nfolder = Dir.pwd\nuntil folder == '/'\nFile.exist?(\"\#{folder}/.flavour\")\n" \
          "folder = File.dirname(folder)\nend")
    File.mkfifo("#{folder}/.flavour")
    %w[one two].each do |name|
      FileUtils.mkdir_p(at(name))
      File.mkfifo(at("#{name}/flavour-tool"), 0o755)
      assert_equal BUILT, install(another("alpha"), PATH: "#{at(name)}:#{ENV.fetch("PATH")}")
    end
  end

  def test_input_through_a_pipe
    FileUtils.mkdir_p(at)
    File.mkfifo(at("pipe"))
    writer = Thread.new { File.write(at("pipe"), "1") }
    plain("value = File.read('#{at("pipe")}')\nsystem('mkfifo own; echo 1 > own & read x < own')")
    assert_equal BUILT, install(another("alpha"))
    assert_equal ["alpha-1.0: its build is for this bundle only: it connected to #{at("pipe")}"], warnings
  ensure
    writer&.kill
  end

  def test_names_of_invalid_bytes
    plain("ENV[[255, 254].pack('C*')]\nENV[\"a\\n\\tb\"]\nENV['\u00fc_x']")
    assert_equal BUILT, install(another("alpha"))
    assert_equal HIT, install(another("alpha"))
    assert_equal BUILT, install(another("alpha"), "\u00fc_x": "1")
  end

  def test_input_through_links_of_the_build
    put("d/file", "1")
    plain("File.symlink('#{at("d")}', 'inc') unless File.symlink?('inc')\nvalue = File.read('inc/file')")
    assert_follows { put("d/file", "2") }
  end

  def test_link_of_the_build_to_a_file
    put("file", "1")
    plain("File.symlink('#{at("file")}', 'f.h')\nvalue = File.read('f.h')")
    assert_follows { put("file", "2") }
  end

  def test_link_behind_a_link_of_the_build
    put("one/file", "1")
    put("two/file", "2")
    File.symlink("one", at("current"))
    plain("File.symlink('#{at("current")}', 'inc')\nvalue = File.read('inc/file')")
    assert_follows { repoint }
  end

  def test_path_out_of_its_folder
    put("file", "1")
    plain("require 'pathname'\n" \
          "value = File.read(Pathname('#{at("file")}').relative_path_from(Pathname(Dir.pwd)).to_s)")
    assert_follows { put("file", "2") }
  end

  # The build finds the file from the path of its bundle, so each project has its own.
  def test_a_file_of_the_project
    plain("value = File.read(\"\#{Dir.pwd.split('/vendor/').first}/flavour\")")
    %w[1 1 2].each.with_index(1) { |text, number| write("app#{number}/flavour", text) }
    assert_follows
  end

  # Each input is changed during the build.
  def test_inputs_changed_meanwhile
    %w[one/file two/file old/file new/file sized].each { |path| put(path, "1") }
    File.symlink("one", at("current"))
    { "File.read('#{at("current/file")}')" => -> { repoint },
      "Dir.children('#{at("one")}')" => -> { put("one/more", "") },
      "File.read('#{at("old/file")}')" => -> { exchange },
      "File.size('#{at("sized")}')" => -> { put("sized", "12") } }
      .each_with_index do |(text, change), index|
        plain("#{text}\nFile.write('begun', '')\nsleep 0.05 until File.exist?('done')", version: "1.#{index}")
        during(change) { assert_equal BUILT, install(another("alpha")) }
        assert_match(/ changed during the build\z/, warnings.join, text)
      end
  end

  def test_files_in_proc_and_sys
    skip "needs a /dev/shm" unless File.writable?("/dev/shm")

    memory = "/dev/shm/#{File.basename(folder)}"
    FileUtils.mkdir_p(memory)
    File.write("#{memory}/file", "1")
    plain("File.read('/dev/null')\nFile.exist?('/proc/none')\nvalue = File.read('#{memory}/file')")
    assert_follows { File.write("#{memory}/file", "2") }
  ensure
    FileUtils.rm_rf(memory) if memory
  end

  def test_inputs_opened_for_writing_or_with_changed_permissions
    put("opened", "1")
    put("touched", "1")
    plain("value = File.open('#{at("opened")}', 'r+', &:read)\nFile.read('#{at("touched")}')\n" \
          "File.chmod(0o644, '#{at("touched")}')")
    assert_follows { put("opened", "2") }
    put("touched", "2")
    assert_equal BUILT, install(another("alpha"))
    assert_empty warnings
  end

  def test_age_of_a_file
    %w[old new].each { |name| put(name, "") }
    old = Time.at(1_000_000_000)
    File.utime(old, old, at("old"))
    plain("value = `make -s -f rule 2>&1`[/\\d/]", files: {
            "ext/alpha/rule" => "#{at("old")}: #{at("new")}\n\t@echo 1\n"
          })
    refute_equal old, File.mtime(at("new"))
    assert_equal BUILT, install(first = another("alpha"))
    assert_equal HIT, install(another("alpha")), reasons
    File.utime(old, old, at("new"))
    assert_equal BUILT, install(second = another("alpha"))
    assert_equal ["1", nil], [first, second].map { |project| learned(project) }
  end

  def test_target_of_a_link_read_with_readlink
    put("file", "1")
    File.symlink("file", at("link"))
    plain("File.readlink('#{at("link")}')\nvalue = File.size('#{at("link")}')")
    assert_follows { put("file", "22") }
  end

  # The build checks the real path, or whether the path is a link. It becomes a link later.
  def test_real_path
    ways = { "asked" => "File.symlink?('%s') ? 2 : 1", "gone" => "Dir.chdir('%s') { Dir.pwd }[-1]",
             "link" => "(File.readlink('%s') rescue 1)", "real" => "File.realpath('%s')[-1]" }
    ways.each do |name, text|
      %w[1 2].each { |number| put("#{name}/#{number}/file", "") }
      plain("value = #{format(text, at("#{name}/1"))}", name: name)
    end
    assert_follows(names: ways.keys) do
      ways.each_key { |name| FileUtils.rm_rf(at("#{name}/1")) && File.symlink("2", at("#{name}/1")) }
    end
  end

  def test_working_folder_through_a_link
    %w[one/1/file two/2/file].each { |path| put(path, "") }
    File.symlink("one", at("current"))
    plain("value = Dir.chdir('#{at("current")}') { File.basename(Dir.pwd) == 'two' ? 2 : 1 }")
    assert_follows { repoint }
  end

  # Each copy of the program has other files beside it. PATH contains its folder in several spellings.
  def test_same_program_elsewhere
    %w[one two].each.with_index(1) do |name, number|
      put("#{name}/flavour-tool", "#!/bin/sh\ncat \"$(dirname \"$0\")/value\"\n", mode: 0o755)
      put("#{name}/value", number.to_s)
    end
    ["one two", "one/ two/", "one/../one two/../two"].each_with_index do |spelling, index|
      plain("value = `flavour-tool`", version: "1.#{index}")
      first, second = spelling.split.map { |path| at(path) }
      assert_follows(spelling, first: { PATH: "#{first}:#{ENV.fetch("PATH")}" },
                               second: { PATH: "#{second}:#{first}:#{ENV.fetch("PATH")}" })
    end
  end

  def test_path_of_invalid_bytes
    put("\xff\u00fc/flavour-tool", "#!/bin/sh\necho 1\n", mode: 0o755)
    plain("value = `flavour-tool`")
    2.times.zip([BUILT, HIT]) do |_, expected|
      assert_equal expected, install(another("alpha"), PATH: "#{at("\xff\u00fc")}:#{ENV.fetch("PATH")}")
    end
  end

  def test_file_in_a_folder_of_path_that_is_not_a_program
    put("bin/tool", "", mode: 0o755)
    plain("value = File.exist?('#{at("bin/flavour.conf")}') || Dir.exist?('#{at("none")}') ? 2 : 1")
    path = { PATH: "#{at("bin")}:#{at("none")}:#{ENV.fetch("PATH")}" }
    assert_follows(first: path) { put("bin/flavour.conf", "") }
    File.unlink(at("bin/flavour.conf"))
    assert_equal HIT, install(another("alpha"), **path)
    FileUtils.mkdir_p(at("none"))
    assert_equal BUILT, install(another("alpha"), **path)
  end

  def test_missing_file_in_a_folder_that_is_no_longer_on_path
    put("bin/tool", "", mode: 0o755)
    plain("value = File.exist?('#{at("bin/sh")}') ? 2 : 1")
    assert_follows(first: { PATH: "#{at("bin")}:#{ENV.fetch("PATH")}" }, second: {}) { put("bin/sh", "") }
  end

  # The folders in PATH are not inputs here, because they differ between users.
  def test_data_file_searched_on_the_whole_path
    put("bin/tool", "", mode: 0o755)
    plain("value = ENV['PATH'].split(':').any? { |at| File.exist?(\"\#{at}/flavour.conf\") } ? 2 : 1")
    path = { PATH: "#{at("bin")}:#{ENV.fetch("PATH")}" }
    assert_follows(first: path) { put("bin/flavour.conf", "") }
  end

  private

  def exchange = File.rename(at("old"), at("older")) && File.rename(at("new"), at("old"))

  # Runs the change as soon as the build has started.
  def during(change)
    writer = Thread.new do
      sleep 0.05 until (begun = Dir.glob("#{folder}/app*/**/begun").first)
      change.call
      FileUtils.mv(begun, "#{File.dirname(begun)}/done")
    end
    yield
    writer.join
    FileUtils.rm_rf(Dir.glob("#{folder}/app*"))
  end
end
