# frozen_string_literal: true

require "install/install_case"
require "json"
require "open3"

# Runs the commands of docs/containers.md in order. A cache mount, layers and the final image are simulated.
class ContainersTest < InstallCase
  PAGE = File.read(File.expand_path("../../docs/containers.md", __dir__), encoding: "UTF-8")
  LINES = PAGE[/^```dockerfile\n(.*?)^```$/m, 1].lines(chomp: true)
  ROOT = File.expand_path("../..", __dir__)
  STRANGER = 65_534
  # Variables of this test that both images receive.
  SAME = %w[LANG LC_ALL LC_CTYPE BUNDLE_SILENCE_ROOT_WARNING].freeze
  EXTENSION = <<~'RUBY'
    require "mkmf"
    create_makefile("made/made")
  RUBY
  CODE = "void Init_made(void) {}\n"
  PROGRAM = <<~'RUBY'
    require "json"
    require "made/made"
    require "tool"
    session = Spate::Boot.session
    puts JSON.generate(tool: Tool::VERSION, parts: session.parts, counts: Spate::Native::Loader.counts)
  RUBY
  # Makes the root and all mounts below it read-only.
  READ_ONLY = <<~'SH'
    set -e
    mount --make-rprivate /
    mount -o remount,ro,bind /
    cd "$1"
    shift
    exec "$@"
  SH

  def setup
    super
    tool("1.0")
    @source.add("made", "1.0", native: true, files: { "ext/made/extconf.rb" => EXTENSION, "ext/made/made.c" => CODE })
    3.times { |number| @source.add("plain#{number}", "1.0", files: { "lib/plain#{number}.rb" => "" }) }
    @gems = %w[tool made plain0 plain1 plain2]
  end

  def test_the_page_has_its_commands
    assert_equal ["spate install --copy --compile-cache off", "spate boot build app lib config"], commands
    assert_includes LINES.grep(/spate install/).first, "RUN --mount=type=cache,target=/spate "
    assert_includes LINES.grep(/SPATE_READONLY/).first, "SPATE_READONLY=1"
  end

  def test_the_last_compile_cache
    skip "only root can make a root for reading only" unless Process.euid.zero?

    project = build("first")
    layers(project)
    said, status = run_last(project)

    assert_predicate status, :success?, said
    facts = JSON.parse(said.lines.last)
    assert_equal "1.0", facts["tool"]
    assert_equal [true, true], facts["parts"].values_at("loader", "replay"), said
    assert_equal 0, facts["counts"]["stale"]
    assert_operator facts["counts"]["hit"] + facts["counts"]["revalidated"], :>=, 1
  end

  def test_a_change_of_one_gem
    build("first")
    tool("1.1")
    @source.forget_requests
    project = build("second")

    assert_equal %w[tool-1.1], fetched
    refute_includes @said, "made 1.0", "it is not built again"
    assert_equal %w[made-1.0 plain0-1.0 plain1-1.0 plain2-1.0 tool-1.1], project.installed
  end

  private

  def commands = LINES.filter_map { |line| line[/^RUN (?:--mount\S+ )?(spate .*)/, 1] }
  def words(command) = command.split.drop(1)

  def tool(version)
    @source.add("tool", version, files: { "lib/tool.rb" => "module Tool\n  VERSION = '#{version}'\nend\n" })
  end

  # Runs the first two stages. Layers start empty, and the cache mount exists for one command only.
  def build(name)
    FileUtils.rm_rf("#{folder}/app")
    project = app("app", gems: @gems, BUNDLE_PATH: "#{folder}/app/vendor/bundle", BUNDLE_FROZEN: "true",
                         BUNDLE_USER_HOME: nil, HOME: "#{folder}/app")
    @said = with_mount(project) { project.spate!(*words(commands[0]), "--verbose") }
    write("app/lib/program.rb", PROGRAM)
    project.spate!(*words(commands[1].sub("app lib config", "lib")))
    FileUtils.mv("#{project.home}/spate", "#{folder}/layer-#{name}")
    project
  end

  def with_mount(project)
    store = "#{project.home}/spate"
    mount = "#{folder}/mount"
    FileUtils.mkdir_p([mount, project.home])
    File.rename(mount, store)
    yield
  ensure
    File.rename(store, mount)
  end

  def fetched = @source.requests.filter_map { |request| request.path[%r{\A/gems/(.+)\.gem\z}, 1] }

  # Simulates COPY --chown: other inodes and current times. Copies only the compile caches of the store.
  def layers(project)
    caches = "#{project.home}/spate/store/v1/compile-cache"
    FileUtils.mkdir_p(File.dirname(caches))
    assert system("cp", "-r", "#{folder}/layer-first/store/v1/compile-cache", caches)
    assert system("cp", "-r", project.folder, "#{folder}/copy")
    FileUtils.rm_rf([project.folder, "#{folder}/mount"])
    File.rename("#{folder}/copy", project.folder)
    assert system("chown", "-R", STRANGER.to_s, project.folder, caches)
    File.chmod(0o755, folder)
  end

  # Runs the program like the final image: as another user, without write access, and with only Ruby on the PATH. HOME
  # is the application's folder.
  def run_last(project)
    FileUtils.mkdir_p("#{folder}/bin")
    File.symlink(RbConfig.ruby, "#{folder}/bin/ruby")
    environment = ENV.to_h.slice(*SAME).merge(project.env.compact)
    environment.update("SPATE_READONLY" => "1", "PATH" => "#{folder}/bin")
    command = ["setpriv", "--reuid=#{STRANGER}", "--regid=#{STRANGER}", "--clear-groups", "env", "-i",
               *environment.map { |pair| pair.join("=") }, RbConfig.ruby, "--disable-gems", "-I#{ROOT}/lib",
               "#{ROOT}/exe/spate", "exec", "ruby", "lib/program.rb"]
    Open3.capture2e("unshare", "--mount", "sh", "-c", READ_ONLY, "sh", project.folder, *command)
  end
end
