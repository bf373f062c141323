# frozen_string_literal: true

require "install/build_case"

# One gem, alpha, whose configuration learns a value of its machine.
class BuildLearningCase < InstallBuildCase
  HIT = [[], %w[alpha]].freeze
  BUILT = [%w[alpha], []].freeze

  private

  def at(path = "") = "#{folder}/outside/#{path}"
  def put(path, text, mode: 0o644) = write("outside/#{path}", text, mode: mode)

  # A gem whose configuration writes what it learned, `value`, where it can be read; make has nothing to do.
  def plain(extconf, make: "all:\ninstall:\nclean:\n", files: {}, version: "1.0")
    text = "value = nil\n#{extconf}\nFile.write('../../lib/value', value.to_s) if value\n" \
           "File.write('Makefile', #{make.dump})\n"
    files = { "lib/alpha.rb" => "", "ext/alpha/extconf.rb" => text, **files }
    @source.add("alpha", version, native: true, files: files)
  end

  def learned(project)
    Dir.glob("#{project.bundle_root}/gems/alpha-*/lib/value").last&.then { |path| File.binread(path).chomp }
  end

  def repoint = File.unlink(at("current")) && File.symlink("two", at("current"))

  # Built with "1"; after the change, in another project, built again with "2".
  def assert_follows(name = nil, first: {}, second: first)
    assert_equal BUILT, install(one = another("alpha"), **first)
    assert_equal "1", learned(one)
    assert_equal HIT, install(another("alpha"), **first), "before the change: #{reasons}"
    yield if block_given?
    assert_equal BUILT, install(two = another("alpha"), **second), "after the change #{name}"
    assert_equal "2", learned(two)
  end
end
