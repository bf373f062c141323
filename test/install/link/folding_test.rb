# frozen_string_literal: true

require "install/install_case"
require "open3"

# A file system that ignores case, or the difference between composed and decomposed accents, like macOS. Conflicting
# names are reported, and no file is lost.
class FoldingTest < InstallCase
  PROGRAM = File.expand_path("../../support/folding.c", __dir__)
  PAIRS = { "case" => ["lib/pair/One.rb", "lib/pair/one.rb"],
            "accent" => ["lib/pair/\u00E9.rb", "lib/pair/e\u0301.rb"] }.freeze

  def setup
    super
    skip "only root may mount" unless Process.euid.zero?
    skip "no /dev/fuse here" unless File.exist?("/dev/fuse")
    @folding = start_folding
  end

  def teardown
    super
    Process.wait(@pid) if @pid
  end

  def test_files_of_a_bundle
    @source.add("plain", "1.0", executables: ["plain"])
    @source.add("built", "1.0", native: true)
    project = app("folding/app", gems: %w[plain built], home: "folding/home")
    assert_installs(project, "built-1.0", "plain-1.0")

    assert_match(/nothing to do/, project.spate!("install"))
    2.times { assert_match(/^plain$/, project.spate!("exec", "plain")) }
    assert_store_clean(project)
  end

  PAIRS.each do |name, paths|
    # Unpacks on this file system, links from a store on it that has both files, and links from a store elsewhere.
    define_method("test_two_files_of_one_gem_by_#{name}") do
      @source.add("pair", "1.0", files: paths.to_h { |path| [path, "#{path.dump}\n"] })
      assert_told(app("folding/app", gems: ["pair"], home: "folding/home"), paths)
      elsewhere = app("elsewhere", gems: ["pair"])
      assert_installs(elsewhere, "pair-1.0")
      assert_told(app("folding/second", gems: ["pair"]), paths)
      assert_told(app("folding/copied", gems: ["pair"]), paths, "--copy")
    end
  end

  def test_two_gems
    %w[Pair pair].each { |name| @source.add(name, "1.0", files: { "lib/#{name}.rb" => "#{name}\n" }) }
    assert_installs(app("elsewhere", gems: %w[Pair pair]), "Pair-1.0", "pair-1.0")
    project = app("folding/app", gems: %w[Pair pair])

    assert_fails(project, 9, "Pair-1.0", "pair-1.0", "same folder")
    assert_empty children("#{project.bundle_root}/gems")
  end

  private

  def assert_told(project, paths, *options)
    said = assert_fails(project, 9, "pair-1.0", "same name on this file system", options: options)

    assert(paths.any? { |path| said.include?(path) }, said)
    assert_empty project.installed
  end

  def start_folding
    flags, found = Open3.capture2e("pkg-config", "--cflags", "--libs", "fuse3")
    skip "libfuse3-dev is missing" unless found.success?
    assert system("cc", "-w", "-o", "#{folder}/program", PROGRAM, *flags.split)
    below, at = %w[below folding].map { |name| FileUtils.mkdir_p("#{folder}/#{name}").first }
    @pid = Process.spawn("#{folder}/program", below, at, %i[out err] => "#{folder}/folding.log")
    (@mounts ||= []) << at
    sleep 0.01 until File.read("/proc/mounts").include?(" #{at} ") || Process.wait(@pid, Process::WNOHANG)
    at
  end
end
