# frozen_string_literal: true

require "install/build_case"

# Differences between terminals, users, runs and folders must not cause a new build.
class BuildHitsTest < InstallBuildCase
  HIT = [[], %w[alpha]].freeze
  BUILT = [%w[alpha], []].freeze
  # Lines from the extconf.rb of puma, nokogiri and bigdecimal.
  PROBES = <<~'RUBY'
    dir_config("zlib")
    have_header("zlib.h") and have_library("z", "deflate") and pkg_config("zlib")
    %w[strlcpy rb_thread_call_without_gvl].each { |name| have_func(name, "ruby/thread.h") }
    have_struct_member("struct stat", "st_mtim", "sys/stat.h") and have_type("int128_t")
    check_sizeof("long") and have_macro("__GNUC__") and have_const("EAGAIN", "errno.h")
    try_compile("int main(void) { return __builtin_clz(1) == 0; }") and try_cflags("-Wall")
    append_cflags(%w[-Wextra -Wno-none]) if enable_config("warnings", true)
    find_executable("none") || find_header("none.h", "/opt/none") || with_config("none")
    $CFLAGS << " " << ENV.fetch("ALPHA_CFLAGS", "") << `sh -c 'uname -s >/dev/null; echo "$0" | sed s/.*//'`.chomp
    create_header
  RUBY

  # The extension includes Ruby's header, as real ones do.
  def test_another_terminal_another_run_of_ci
    native("alpha", extconf: PROBES, files: { "ext/alpha/alpha.c" => "#include <ruby.h>\nvoid Init_alpha(void) {}\n" })
    gone = FileUtils.mkdir_p("#{folder}/gone").first
    assert_equal BUILT, install(another("alpha"), TERM: "dumb", TMPDIR: gone)
    FileUtils.rm_rf(gone)
    { TERM: "xterm-256color", COLUMNS: "200", LINES: "50", SSH_CONNECTION: "1 2 3 4", SSH_TTY: "/dev/pts/9",
      COLORTERM: "truecolor", NO_COLOR: "1", LANG: "C", LC_ALL: "C.UTF-8", TZ: "UTC", EDITOR: "ed", XDG_DATA_HOME: "/x",
      USER: "other", LOGNAME: "other", SHELL: "/bin/dash", TMPDIR: FileUtils.mkdir_p("#{folder}/tmp").first,
      MAKEFLAGS: "-j7", CI: "true", GITHUB_ACTIONS: "true", GITHUB_SHA: "abc", RUNNER_OS: "Linux", BUILD_NUMBER: "7",
      CI_JOB_ID: "1", JENKINS_URL: "http://ci.test", DATABASE_URL: "postgres://db.test", RAILS_ENV: "test",
      PWD: "/", OLDPWD: "/tmp", SHLVL: "5", BUILD_ID: "7", WORKSPACE: "/w", RUNNER_TEMP: "/t", GITLAB_CI: "1" }
      .except(*asked_by_pkg_config).each_slice(20) do |some|
        assert_equal HIT, install(another("alpha"), **some.to_h), "#{some}: #{reasons}"
      end
    assert_equal BUILT, install(another("alpha"), ALPHA_CFLAGS: "-g")
  end

  # pkgconf 2 reads settings below this folder, so that the folder affects its output (docs/builds.md).
  def asked_by_pkg_config
    IO.popen(%w[pkg-config --version], &:read).to_i > 1 ? [:XDG_DATA_HOME] : []
  end

  def test_ci_counts_if_the_build_reads_it
    native("alpha", extconf: "$defs << '-DFLAVOUR=' + (ENV['CI'] ? '2' : '1')", value: "FLAVOUR")
    native("beta", extconf: "$defs << '-DFLAVOUR=' + `sh -c 'echo ${CI:-1}'`.chomp", value: "FLAVOUR")
    native("gamma", extconf: "puts 'not for CI'")
    assert_equal [%w[alpha beta gamma], []], install(another("alpha", "beta", "gamma"), CI: nil)
    assert_equal [%w[alpha beta], %w[gamma]], install(second = another("alpha", "beta", "gamma"), CI: "2")
    assert_equal %w[2 2], [value(second, "alpha"), value(second, "beta")]
  end

  def test_another_user_and_another_folder
    native("alpha", extconf: "$defs << \"-DFLAVOUR=\#{File.read(File.join(Dir.home, '.flavour'))}\"\n" \
                             "File.exist?(File.join(Dir.home, '.other'))\nDir.exist?(Dir.home)", value: "FLAVOUR")
    %w[home user/one user/deep/two user/three].zip(%w[1 1 1 2]) { |home, text| write("#{home}/.flavour", text) }
    first = another("alpha")
    assert_equal BUILT, install(first)
    store = { SPATE_HOME: "#{first.home}/spate" }
    %w[.gem/specs/x .config/gem/gemrc .local/share/gem/x .cache/x].each { |path| write("user/one/#{path}", "") }
    write("user/deep/two/.gemrc", "gem: --no-document\n")
    %w[user/one user/deep/two].each do |home|
      FileUtils.mkdir_p("#{folder}/#{home}", mode: 0o700)
      project = app("elsewhere/#{home}/app", gems: %w[alpha], home: home, **store)
      assert_equal HIT, install(project, HOME: "#{folder}/#{home}"), reasons.to_s
    end
    third = app("third", gems: %w[alpha], home: "user/three", **store)
    assert_equal BUILT, install(third, HOME: "#{folder}/user/three")
    assert_equal "2", value(third, "alpha")
  end

  def test_compatible_library
    library("int flavour(void) { return 1; }")
    native("alpha", extconf: "$LDFLAGS << ' -L#{folder}/lib'\nhave_library('flavour', 'flavour')")
    assert_equal BUILT, install(another("alpha"))
    library("int helper(int x) { return x + 7; }\nint flavour(void) { return helper(1); }", "-fvisibility=hidden")
    assert_equal HIT, install(another("alpha")), reasons.to_s
    library("int flavour(void) { return 1; }", soname: "libflavour.so.2")
    assert_equal BUILT, install(another("alpha"))
    assert_equal({ "alpha" => "#{folder}/lib/libflavour.so has other versions or symbols" }, reasons)
  end

  def test_library_that_the_result_needs
    library("int flavour(void) { return 1; }")
    native("alpha", extconf: "FileUtils.cp('#{folder}/lib/libflavour.so', '../../lib')")
    assert_equal BUILT, install(another("alpha"))
    assert_equal HIT, install(another("alpha"))
    library("int flavour(void) { return 2; }")
    assert_equal BUILT, install(another("alpha"))
  end

  # Other gems in the lockfile must not matter.
  def test_other_gems_of_the_bundle
    @source.add("base", "1.0", files: { "lib/base.rb" => "" })
    native("alpha", extconf: "require 'base'", dependencies: { "base" => ">= 1" })
    @source.add("unrelated", "1.0", files: { "lib/unrelated.rb" => "" })
    native("neighbour")
    assert_equal BUILT, install(another("alpha"))
    assert_equal HIT, install(another("alpha", "unrelated"))
    assert_equal [%w[neighbour], %w[alpha]], install(another("alpha", "neighbour"))
    @source.add("base", "1.1", files: { "lib/base.rb" => "# another\n" })
    assert_equal BUILT, install(another("alpha"))
  end

  # The gem is not declared as a dependency. Its files are inputs, because the build reads them.
  def test_undeclared_gem_that_is_read
    @source.add("helper", "1.0", files: { "lib/helper.rb" => "HELP = 1\n" })
    native("alpha", extconf: "sleep 0.05 until File.exist?(Gem.dir + '/specifications/helper-1.0.gemspec')\n" \
                             "load Gem.dir + '/gems/helper-1.0/lib/helper.rb'\n$defs << \"-DFLAVOUR=\#{HELP}\"",
                    value: "FLAVOUR")
    assert_equal BUILT, install(another("alpha", "helper"))
    @source.add("helper", "1.0", files: { "lib/helper.rb" => "HELP = 2\n" })
    second = app("fresh", gems: %w[alpha helper], home: "home")
    FileUtils.rm_rf("#{second.home}/spate/store/v1/names")
    assert_equal BUILT, install(second)
  end

  # cargo, for example, searches its configuration in each parent folder.
  def test_files_searched_above_the_bundle
    extconf = "folder = Dir.pwd\nfound = []\nuntil folder == '/'\n" \
              "found << File.read(\"\#{folder}/.flavour\") if File.exist?(\"\#{folder}/.flavour\")\n" \
              "folder = File.dirname(folder)\nend\n$defs << \"-DFLAVOUR=\#{found.first || 1}\""
    native("alpha", extconf: extconf, value: "FLAVOUR")
    assert_equal BUILT, install(another("alpha"))
    second = another("alpha")
    File.write(second.path(".flavour"), "2")
    assert_equal BUILT, install(second)
    assert_equal({ "alpha" => "#{second.path(".flavour")} is new" }, reasons)
    assert_equal "2", value(second, "alpha")
    assert_equal HIT, install(another("alpha"))
    third = app("elsewhere", gems: %w[alpha])
    File.write(third.path(".flavour"), "2")
    assert_equal HIT, install(third)
    assert_equal "2", value(third, "alpha")
    fourth = app("some/where/deep", gems: %w[alpha])
    File.write(fourth.path("../.flavour"), "3")
    assert_equal BUILT, install(fourth)
    assert_equal "3", value(fourth, "alpha")
    assert_equal HIT, install(app("other/folders/deep", gems: %w[alpha])), reasons
  end

  private

  def library(text, *flags, soname: "libflavour.so.1")
    source = write("flavour.c", "__attribute__((visibility(\"default\"))) int flavour(void);\n#{text}\n")
    FileUtils.mkdir_p("#{folder}/lib")
    system("cc", "-shared", "-fPIC", "-fvisibility=hidden", *flags, "-Wl,-soname,#{soname}",
           "-o", "#{folder}/lib/new.so", source, exception: true)
    File.rename("#{folder}/lib/new.so", "#{folder}/lib/libflavour.so")
  end
end

# A build that contains the path of its bundle is not used by other bundles. `spate explain` reports the reason.
class BoundTest < InstallBuildCase
  def setup
    super
    holding_its_folder("where", "lib/where/version.rb" => "")
  end

  def test_reason_for_the_rebuild_in_the_second_bundle
    first, second = %w[first second].map { |name| app(name, gems: ["where"]) }
    refute_match(/works only there/, assert_installs(first, options: ["--verbose"]))
    output = assert_installs(second, options: ["--verbose"])
    assert_includes output,
                    "building where (the stored build contains the path #{first.bundle_root} and works only there)"
    assert_match(/2 builds of extensions; used only in their bundle, whose path they contain: where-1\.0$/,
                 second.spate("doctor").first)
  end

  def test_a_place_without_files
    app = app("first", gems: ["where"])
    output, = app.spate("doctor", SPATE_HOME: "/proc/spate")
    assert_match(%r{the file system of /proc/spate\S* cannot store files\n +hint: SPATE_HOME=DIR sets another folder$},
                 output)
    refute_includes output, "prune"
  end
end
