# frozen_string_literal: true

require "install/build_case"

# Builds for the processor of their machine. Another machine is simulated with a different /proc/cpuinfo.
class NativeProcessorTest < InstallBuildCase
  OTHER = "processor\t: 0\nvendor_id\t: Other\ncpu family\t: 7\nmodel\t: 7\nflags\t: fpu mmx\n"
  NATIVE = {
    "architecture" => { extconf: "$CFLAGS << ' -march=native'" },
    "tuning" => { extconf: "$CFLAGS << ' -mtune=native'" },
    "makefile" => { files: { "ext/makefile/depend" => "makefile.o: CFLAGS += -march=native\n" } },
    "wrapped" => { extconf: "system('sh ./compile -E - < /dev/null > out')",
                   files: { "ext/wrapped/compile" => "exec gcc -march=native \"$@\"\n" } },
    "response" => { extconf: "system('gcc @options -E - < /dev/null > out')",
                    files: { "ext/response/options" => "-march=native\n" } },
    "unlogged" => { extconf: "system('gcc -march=native -E - < /dev/null > out')" },
    "probed" => { extconf: "$CFLAGS << (File.read('/proc/cpuinfo').include?('sse4_2') ? ' -DFAST' : '')" }
  }.freeze

  def setup
    super
    skip "needs root, for another /proc/cpuinfo" unless Process.euid.zero?
    skip "no -march=native here" unless system("gcc -march=native -E - < /dev/null", %i[out err] => File::NULL)
    @info = write("cpuinfo", OTHER)
  end

  def test_native_processor_options_are_built_on_each_kind
    NATIVE.each { |name, options| native(name, **options) }
    native("portable")
    names = [*NATIVE.keys, "portable"].sort
    assert_equal [names, []], install(another(*names))
    assert_equal [[], names], install(another(*names))

    there = elsewhere { install(another(*names)) }
    assert_equal [NATIVE.keys.sort, %w[portable]], there
    assert_equal [[], names], elsewhere { install(another(*names)) }
    assert_equal [[], names], install(another(*names)), "each kind keeps its own"
  end

  def test_the_environment_of_a_build
    native("alpha", extconf: "$CFLAGS << ENV['MY_FLAGS'].to_s")
    flags = { MY_FLAGS: " -march=native" }
    assert_equal [%w[alpha], []], install(another("alpha"), **flags)
    assert_equal [[], %w[alpha]], install(another("alpha"), **flags)
    assert_equal [%w[alpha], []], elsewhere { install(another("alpha"), **flags) }
  end

  def test_cargo
    skip "no cargo on this machine" unless system("cargo --version", %i[out err] => File::NULL)

    crate("plain")
    crate("fast", ".cargo/config.toml" => "[build]\nrustflags = [\"-C\", \"target-cpu=native\"]\n")
    names = %w[fast plain]
    assert_equal [names, []], crates(another(*names))
    assert_equal [%w[fast], %w[plain]], elsewhere { crates(another(*names)) }
    assert_equal [[], names], crates(app("some/where/deep", gems: names)), reasons

    write("user-cargo/config.toml", "[build]\nrustflags = [\"-C\", \"target-cpu=native\"]\n")
    theirs = { CARGO_HOME: "#{folder}/user-cargo" }
    assert_equal [names, []], crates(another(*names), **theirs), "another configuration of cargo"
    assert_equal [[], names], crates(another(*names), **theirs)
    assert_equal [names, []], elsewhere { crates(another(*names), **theirs) }

    flags = { RUSTFLAGS: "-C target-cpu=native" }
    assert_equal [%w[plain], []], crates(another("plain"), **flags)
    assert_equal [%w[plain], []], elsewhere { crates(another("plain"), **flags) }
  end

  private

  def crates(project, **env) = install(project, RUSTUP_HOME: ENV.fetch("RUSTUP_HOME", "#{Dir.home}/.rustup"), **env)

  def crate(name, more = {})
    package = "[package]\nname = \"#{name}\"\nversion = \"1.0.0\"\n"
    files = { "lib/#{name}/.keep" => "", "Cargo.toml" => "#{package}[lib]\ncrate-type = [\"cdylib\"]\n",
              "Cargo.lock" => "version = 3\n[#{package.sub("]", "]]")}",
              "src/lib.rs" => "#[no_mangle]\npub extern \"C\" fn Init_#{name}() {}\n" }.merge(more)
    @source.add(name, "1.0", files: files) { |spec| spec.extensions = %w[Cargo.toml] }
  end

  # Runs the installs of the block on the simulated machine, in a separate mount namespace.
  def elsewhere
    @elsewhere = true
    yield
  ensure
    @elsewhere = false
  end

  def run_install(project, *options, **env)
    return super unless @elsewhere

    root = File.expand_path("../../..", __dir__)
    project.run("unshare", "-m", "sh", "-c", "mount --bind #{@info} /proc/cpuinfo && exec \"$@\"", "sh",
                "ruby", "--disable-gems", "-I#{root}/lib", "#{root}/exe/spate", "install", *options, **env)
  end
end
