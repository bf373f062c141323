# frozen_string_literal: true

require "install/build_case"

# Gems whose extconf.rb reads a value from the machine: a gem alpha, or one gem for each way of reading.
class BuildLearningCase < InstallBuildCase
  HIT = [[], %w[alpha]].freeze
  BUILT = [%w[alpha], []].freeze

  private

  def at(path = "") = "#{folder}/outside/#{path}"
  def put(path, text, mode: 0o644) = write("outside/#{path}", text, mode: mode)

  # A gem whose extconf.rb writes `value` to a file. make does nothing.
  def plain(extconf, name: "alpha", make: "all:\ninstall:\nclean:\n", files: {}, version: "1.0", **recipe)
    text = "value = nil\n#{extconf}\nFile.write('../../lib/value', value.to_s) if value\n" \
           "File.write('Makefile', #{make.dump})\n"
    files = { "lib/#{name}.rb" => "", "ext/alpha/extconf.rb" => text, **files }
    @source.add(name, version, native: true, files: files, **recipe)
  end

  def learned(project, name = "alpha")
    Dir.glob("#{project.bundle_root}/gems/#{name}-[0-9]*/lib/value").last&.then { |path| File.binread(path).chomp }
  end

  # The value that a plain gem wrote to its file, or that was compiled in.
  def result(project, name) = learned(project, name) || value(project, name)

  def repoint = File.unlink(at("current")) && File.symlink("two", at("current"))

  # The gems are built with "1", reused, and after the change (a block) built again with "2" in another project.
  def assert_follows(label = nil, names: %w[alpha], first: {}, second: first)
    assert_equal [names, []], install(one = another(*names), **first)
    assert_equal({ "1" => names }, names.group_by { |name| learned(one, name) })
    assert_equal [[], names], install(another(*names), **first), "before the change: #{reasons}"
    yield if block_given?
    assert_equal [names, []], install(two = another(*names), **second), "after the change #{label}"
    assert_equal({ "2" => names }, names.group_by { |name| learned(two, name) })
  end
end
