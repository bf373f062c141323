# frozen_string_literal: true

require "install/build_case"
require "spate/inputs"

# Which builds are stored for other bundles, and which stored builds are trusted.
class BuildKeptTest < InstallBuildCase
  HIT = [[], %w[alpha]].freeze
  BUILT = [%w[alpha], []].freeze
  FORBID = File.expand_path("../../tracer/programs/forbid.c", __dir__)

  def test_builds_without_tracing
    system("cc", "-O1", "-w", "-o", "#{folder}/forbid", FORBID, exception: true)
    native("alpha")
    native("beta")
    assert_equal [%w[alpha beta], []], deaf { install(first = another("alpha", "beta")).tap { @first = first } }
    assert_equal 1, warnings.size
    assert_match(/\Abuilds are for this bundle only: they cannot be traced \(seccomp/, warnings.first)
    assert_match(/nothing to do/, deaf { run_install(@first).first })
    assert_equal "1", value(@first, "alpha")
    assert_equal BUILT, deaf { install(another("alpha")) }, "an untraced build is not used"
    assert_equal BUILT, install(another("alpha"))
    assert_empty warnings
    assert_equal HIT, deaf { install(another("alpha")) }, "a traced build is used"
    assert_match(/^  odd     builds and Gemfiles cannot be traced \(seccomp.*own bundle only.*\n +hint: .*seccomp/,
                 deaf { spate(@first, "doctor").first })
    assert_match(/^  ok      builds and Gemfiles are traced/, spate(@first, "doctor").first)
  end

  def test_build_that_uses_the_network
    native("alpha", extconf: "require 'socket'\nbegin\nTCPSocket.new('127.0.0.1', 1)\nrescue SystemCallError\nend")
    2.times do
      assert_equal BUILT, install(another("alpha"))
      assert_match(/\Aalpha-1.0: its build is for this bundle only: /, warnings.join)
    end
  end

  def test_a_file_that_changes_while_it_builds
    file = write("file", "1")
    native("alpha", extconf: "$defs << \"-DFLAVOUR=\#{File.read('#{file}')}\"\n" \
                             "IO.popen(['sh', '-c', 'true']).read\n" \
                             "File.write('begun', '')\nsleep 0.1 while File.read('#{file}') == '1'", value: "FLAVOUR")
    writer = Thread.new do
      sleep 0.1 until Dir.glob("#{folder}/**/begun").any?
      File.write(file, "2")
    end
    assert_equal BUILT, install(first = another("alpha"))
    writer.join
    assert_equal ["alpha-1.0: its build is for this bundle only: #{file} changed during the build"], warnings
    assert_equal "1", value(first, "alpha")
    assert_equal BUILT, install(second = another("alpha"))
    assert_equal "2", value(second, "alpha")
    File.write(file, "3")
    FileUtils.rm_rf(Dir.glob("#{first.bundle_root}/{gems,specifications,extensions/*/*}/alpha-1.0*"))
    assert_equal BUILT, install(first), "nor in its own bundle"
    assert_equal "3", value(first, "alpha")
  end

  # In an overlay file system, the first write copies the parent folders.
  def test_folders_that_a_write_copies_up
    skip "no overlay here" unless system(*overlaid, "true", err: File::NULL)

    header = write("lower/usr/include/flavour", "1").sub("/lower/", "/over/")
    write("lower/usr/local/cargo/config", "")
    native("alpha", extconf: "$defs << \"-DFLAVOUR=\#{File.read('#{header}')}\"\n" \
                             "File.write('#{folder}/over/usr/local/cargo/own', '')\n" \
                             "File.chmod(0o755, '#{folder}/over/usr')", value: "FLAVOUR")
    @under = overlaid
    assert_equal BUILT, install(another("alpha"))
    assert_empty warnings
    assert_equal HIT, install(another("alpha")), reasons
  end

  def test_a_program_that_runs_as_another_user
    skip "needs root" unless Process.euid.zero?

    FileUtils.cp("/bin/true", "#{folder}/elevated")
    File.chmod(0o4755, "#{folder}/elevated")
    native("alpha", extconf: "system('#{folder}/elevated')")
    assert_equal BUILT, install(another("alpha"))
    reason = "it ran #{folder}/elevated, a setuid or setgid program"
    assert_equal ["alpha-1.0: its build is for this bundle only: #{reason}"], warnings
  end

  # A killed process or a broken disk may leave such files.
  def test_invalid_records
    native("alpha")
    install(first = another("alpha"))
    broken = { "cut" => ->(path) { File.truncate(path, File.size(path) / 2) },
               "flipped" => ->(path) { File.binwrite(path, "x", File.size(path) / 2) },
               "empty" => ->(path) { File.write(path, "") }, "gone" => ->(path) { File.unlink(path) } }
    broken.each do |name, breaks|
      records(first).each(&breaks)
      assert_equal BUILT, install(another("alpha")), name
      assert_equal HIT, install(another("alpha")), name
    end
    refute_match(/edited|differs/, first.spate!("check"))
  end

  def test_verify_drops_damaged_records_and_prune_those_of_no_build
    native("alpha")
    install(first = another("alpha"))
    File.truncate(records(first).first, 99)
    output, = first.spate("store", "verify")
    assert_match(%r{^inputs variants/\h{64}/\h{16} of \h{12} was changed: removed$}, output)
    assert_empty records(first)
    install(second = another("alpha"))
    [first, second].each { |project| FileUtils.rm_rf(project.folder) }
    third = another
    install(third)
    third.spate!("store", "prune", "--older-than", "0")
    assert_empty Dir.glob("#{third.home}/spate/store/v1/{builds,variants/*}/*")
  end

  def test_a_compile_cache_without_a_compiler
    library = shared_library
    native("alpha", extconf: "$LDFLAGS << ' -L#{folder}/lib -Wl,-rpath,#{folder}/lib'\n" \
                             "have_library('flavour', 'flavour') or abort",
                    files: { "ext/alpha/alpha.c" => source("alpha", "flavour()", "int flavour(void);") })
    assert_equal BUILT, install(another("alpha"))
    FileUtils.mkdir_p("#{folder}/bare")
    %w[ruby sh].each { |name| File.symlink(IO.popen(["which", name], &:read).chomp, "#{folder}/bare/#{name}") }
    assert_equal HIT, install(second = another("alpha"), PATH: "#{folder}/bare")
    assert_equal "3", value(second, "alpha")
    File.unlink(library)
    output, status = run_install(another("alpha"), PATH: "#{folder}/bare")
    assert_equal 10, status.exitstatus, output
  end

  private

  def records(project) = Dir.glob("#{project.home}/spate/store/v1/variants/*/*").grep_v(/\.needs\z/)

  def shared_library
    FileUtils.mkdir_p("#{folder}/lib")
    source = write("flavour.c", "int flavour(void) { return 3; }\n")
    system("cc", "-shared", "-fPIC", "-Wl,-soname,libflavour.so.1", "-o", "#{folder}/lib/libflavour.so.1", source,
           exception: true)
    File.symlink("libflavour.so.1", "#{folder}/lib/libflavour.so")
    "#{folder}/lib/libflavour.so.1"
  end

  # Runs the block with a kernel that does not allow tracing.
  def deaf
    @deaf = true
    yield
  ensure
    @deaf = false
  end

  # The command line that mounts over/ over lower/ with private writes, and then runs a command.
  def overlaid
    %w[lower over up].each { |name| FileUtils.mkdir_p("#{folder}/#{name}") }
    ["unshare", "-m", "sh", "-ec", "cd '#{folder}'; mount -t tmpfs none up; mkdir up/upper up/work; mount -t overlay " \
                                   "none -o lowerdir=lower,upperdir=up/upper,workdir=up/work over; cd \"$OLDPWD\"; " \
                                   "exec \"$@\"", "sh"]
  end

  def run_install(project, *options, **env) = spate(project, "install", *options, **env)

  def spate(project, *words, **env)
    return project.spate(*words, **env) unless @deaf || @under

    root = File.expand_path("../../..", __dir__)
    command = ["ruby", "--disable-gems", "-I#{root}/lib", "#{root}/exe/spate", *words]
    project.run(*(@under || ["#{folder}/forbid", "seccomp"]), *command, **env)
  end
end
