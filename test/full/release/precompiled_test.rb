# frozen_string_literal: true

require "test_helper"
require "open3"
require "rubygems/package"
require_relative "../../../rakelib/release"

# Builds the precompiled gems, and installs them into an empty Debian without a compiler. There they do the same as the
# gems that were compiled from source.
class PrecompiledTest < Minitest::Test
  ROOT = File.expand_path("../../..", __dir__)
  RUN = "ruby test/full/release/quick_start.rb"
  WITHOUT_COMPILER = <<~SH.freeze
    mkdir /gems && tar -x -C /gems
    bin/setup --quiet run >&2
    for program in gcc cc make pkg-config; do ! command -v $program || exit 9; done
    ! ls /usr/include/ruby* /usr/include/zlib.h || exit 9
    gem install --local --no-document /gems/*-gnu.gem >&2
    #{RUN}
  SH
  WITH_COMPILER = <<~SH.freeze
    mkdir /gems && tar -x -C /gems
    bin/setup --quiet build >&2
    rm /gems/*-gnu.gem
    MAKEFLAGS=-j2 gem install --local --no-document /gems/*.gem >&2
    #{RUN}
  SH

  # Builds the gems once for all tests. Returns their folder.
  def self.gems
    @gems ||= Dir.mktmpdir("precompiled-").tap do |folder|
      Minitest.after_run { FileUtils.rm_rf(folder) }
      precompiled = Precompiled.new(ROOT, systems: Precompiled::SYSTEMS.split.map { |name| [name] }, rubies: [])
      precompiled.compile { |line| puts line }
      precompiled.build(folder)
      Release::GEMS.each { |name| StrictBuild.new("#{ROOT}/#{name}.gemspec", folder).call(Spate::VERSION) }
    rescue NativeFiles::Failed => e
      @refused = e.message
    end
  end

  def setup
    super
    skip "needs root, for debootstrap and chroot" unless Process.euid.zero?
    @gems = self.class.gems
  end

  def test_debian12 = assert_same("debian12")
  def test_debian13 = assert_same("debian13")

  def test_files_are_those_of_the_source_gem
    NativeFiles::FOLDERS.each do |name, folder|
      source, precompiled = ["", "-#{platform}"].map { |suffix| contents("#{name}-#{Spate::VERSION}#{suffix}.gem") }
      removed = source - precompiled
      added = precompiled - source

      assert_empty(removed.grep_v(%r{\A(?:bytes/|server/)?(?:ext|core)/}), name)
      libraries = added.grep(%r{\A#{folder}/3\.[13]/\w+\.so\z})
      assert_equal %w[3.1 3.3], libraries.map { |path| path.split("/")[-2] }.uniq.sort
      loaders = libraries.map { |path| "#{folder}/#{File.basename(path, ".so")}.rb" }.uniq
      others = name == "spate" ? %W[#{folder}/front #{folder}/tracer_hooks.so] : []
      assert_equal (libraries + loaders + others + ["NOTICE.txt"]).sort, added.sort
    end
  end

  private

  def platform = "#{RbConfig::CONFIG["target_cpu"]}-linux-gnu"
  def contents(name) = Gem::Package.new("#{@gems}/#{name}").contents

  def assert_same(system)
    precompiled, compiled = [WITHOUT_COMPILER, WITH_COMPILER].map { |script| run_in(system, script) }

    assert_equal compiled, precompiled
    assert_includes precompiled, "2 gems in place, nothing to do"
    assert_includes precompiled, "$ spate exec tool\ntool\n"
    statuses = precompiled.scan(/^=> (\d+)$/).flatten
    assert_equal ["0"], statuses.uniq, precompiled
  end

  def run_in(system, script)
    tar, = Open3.capture2("tar", "-c", "-C", @gems, ".", binmode: true)
    output, errors, status = Open3.capture3("#{ROOT}/bin/fresh", "--tree", system, "sh", "-euc", script,
                                            stdin_data: tar, binmode: true)
    skip errors[%r{^bin/fresh: .*}] if status.exitstatus == 77
    assert_predicate status, :success?, output + errors
    output
  end
end
