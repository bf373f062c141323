# frozen_string_literal: true

require "install/build_case"

# What a build may do that none in its right mind does: no install waits for it, none of its results goes stale.
class BuildOddTest < InstallBuildCase
  HIT = [[], %w[alpha]].freeze
  BUILT = [%w[alpha], []].freeze

  def test_pipes_and_devices_that_it_leaves_behind
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

  def test_names_that_are_no_text
    plain("ENV[[255, 254].pack('C*')]\nENV[\"a\\n\\tb\"]\nENV['\u00fc_x']")
    assert_equal BUILT, install(another("alpha"))
    assert_equal HIT, install(another("alpha"))
    assert_equal BUILT, install(another("alpha"), "\u00fc_x": "1")
  end

  private

  def at(path = "") = "#{folder}/outside/#{path}"
  def put(path, text, mode: 0o644) = write("outside/#{path}", text, mode: mode)

  # A gem whose configuration writes what it learned, `value`, where it can be read; make has nothing to do.
  def plain(extconf, make: "all:\ninstall:\nclean:\n", files: {})
    text = "value = nil\n#{extconf}\nFile.write('../../lib/value', value.to_s) if value\n" \
           "File.write('Makefile', #{make.dump})\n"
    @source.add("alpha", "1.0", native: true, files: { "lib/alpha.rb" => "", "ext/alpha/extconf.rb" => text, **files })
  end

  def learned(project) = File.binread("#{project.bundle_root}/gems/alpha-1.0/lib/value").chomp

  # Built with "1"; after the change, in another project, built again with "2".
  def assert_follows(first: {}, second: first)
    assert_equal BUILT, install(one = another("alpha"), **first)
    assert_equal "1", learned(one)
    assert_equal HIT, install(another("alpha"), **first), "before the change: #{reasons}"
    yield if block_given?
    assert_equal BUILT, install(two = another("alpha"), **second), "after the change"
    assert_equal "2", learned(two)
  end
end
