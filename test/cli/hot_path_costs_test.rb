# frozen_string_literal: true

require "cli/cli_case"
require "etc"
require "support/project"

# Costs of an install with nothing to do: system calls, loaded files and objects, in a small and a large bundle. A new
# check for each gem or file fails here. If it is worth its cost, raise the number and state the reason.
class HotPathCostsTest < CLICase
  SMALL = 4
  LARGE = 40
  # Number of files and folders in each gem, without the gem's own folder.
  ENTRIES = 6
  LAYERS = { "lib/%s.rb" => "", "lib/%s/a.rb" => "", "lib/%s/b.rb" => "", "README.md" => "" }.freeze

  # For each gem: the head of its gemspec (open, ioctl, two reads, close), its folder (open, close), its manifest (open,
  # fstat, two reads, close) and an lstat of each entry. Two more, because files read in any case grow with the bundle.
  CALLS_PER_GEM = 14 + ENTRIES
  OBJECTS_PER_GEM = 110
  # The limit of allocated objects. Half of them belong to compiled code, because this test disables Spate's compile
  # cache.
  OBJECTS = 27_000
  OWN_FILES = 80
  # Number of reads of the lockfile: by its parser, for the key of its Gemfile check, and for the version of Bundler.
  LOCKFILE = 3
  TRACED = "openat,open,close,read,pread64,ioctl,fstat,stat,lstat,newfstatat,statx,readlink,getdents64"

  PROBE = <<~RUBY
    require "spate"
    GC.disable
    before = $LOADED_FEATURES.size
    objects = GC.stat(:total_allocated_objects)
    status = Spate::CLI.start(ARGV, out: $stdout, err: $stderr, env: ENV)
    objects = GC.stat(:total_allocated_objects) - objects
    puts objects, $LOADED_FEATURES.drop(before).grep(%r{/lib/spate/.*rb}).size
    puts File.read("/proc/self/maps").include?("libcrypto")
    exit status
  RUBY

  def setup
    @source = GemSource.start
    LARGE.times do |index|
      name = format("gem%<index>02d", index: index)
      @source.add(name, "1.0", files: LAYERS.transform_keys { |path| format(path, name) })
    end
  end

  def teardown
    @source.stop
    super
  end

  def test_costs_of_an_install_with_nothing_to_do
    small, large = [SMALL, LARGE].map { |count| objects(installed(count)) }

    assert_operator small[0], :<=, OBJECTS
    assert_operator (large[0] - small[0]) / (LARGE - SMALL), :<=, OBJECTS_PER_GEM
    assert_equal small[1], large[1]
    assert_operator small[1], :<=, OWN_FILES
    assert_equal "false", small[2], "libcrypto is loaded for nothing"
  end

  def test_system_calls_of_each_gem
    skip "needs strace" unless system("which strace", out: File::NULL, err: File::NULL)
    small, large = [SMALL, LARGE].map { |count| calls(installed(count)) }

    assert_operator (large.size - small.size).fdiv(LARGE - SMALL), :<=, CALLS_PER_GEM
    assert_operator small.grep(/openat\(.*Gemfile\.lock"/).size, :<=, LOCKFILE
    # No record of the store is read twice.
    records = small.filter_map { |line| line[%r{openat\(.*"(/\S+/store/v1/(?:bundles|checks|packages)/\h+)"}, 1] }
    refute_empty records
    assert_equal records.uniq, records
  end

  # Reads neither compiler nor headers, because their times prove that they are unchanged.
  def test_reads_for_an_extension_that_is_reused
    skip "needs strace" unless system("which strace", out: File::NULL, err: File::NULL)
    skip "times of headers prove nothing here" unless times_prove?("/usr/include/stdio.h")
    @source.add("native", "1.0", native: true)
    app = Spate::TestProject.new(File.join(folder, "app"), "source '#{@source.url}'\ngem 'native'\n")
    app.lock
    app.spate!("install")
    FileUtils.rm_rf(app.bundle_root)
    traced = calls(app)

    refute_empty traced.grep(%r{stat.*"/usr/include/stdio\.h"})
    assert_empty traced.grep(%r{openat\(.*"[^"]+(?:\.h|/cc1)"})
  end

  private

  # Whether the times of a file prove its content: see docs/adr/0030-whole-seconds-within-one-mount.md.
  def times_prove?(path)
    newer = (Etc.uname[:release].split(".").first(2).map(&:to_i) <=> [6, 8]) >= 0
    !File.ctime(path).nsec.zero? || newer
  end

  def installed(count)
    gems = Array.new(count) { |index| format("gem 'gem%<index>02d'\n", index: index) }
    app = Spate::TestProject.new(File.join(folder, "app#{count}"), "source '#{@source.url}'\n#{gems.join}")
    app.lock
    2.times { app.spate!("install") }
    app
  end

  # [objects, own files, whether libcrypto is loaded]
  def objects(app)
    probe = write("probe.rb", PROBE)
    lib = File.expand_path("../../lib", __dir__)
    lines = app.run!("ruby", "--disable-gems", "-I#{lib}", probe, "install", "--quiet", SPATE_NO_OWN_CODE: "1").lines
    [lines[0].to_i, lines[1].to_i, lines[2].chomp]
  end

  def calls(app)
    lib = File.expand_path("../../lib", __dir__)
    trace = File.join(folder, "trace")
    app.run!("strace", "-f", "-o", trace, "-e", "trace=#{TRACED}", "ruby", "--disable-gems", "-I#{lib}",
             File.expand_path("../../exe/spate", __dir__), "install", "--quiet", SPATE_NO_OWN_CODE: "1")
    File.readlines(trace).grep_v(/resumed>/) # the second half of an interrupted call
  end
end
