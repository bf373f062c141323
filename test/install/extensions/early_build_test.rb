# frozen_string_literal: true

require "install/install_case"
require "json"

# Whether a build waits for the dependencies of its gem.
class EarlyBuildTest < InstallCase
  # Code in extconf.rb that loads the dependency. If the dependency is incomplete, the build fails.
  LOADS = {
    "loads" => "require \"base\"\n",
    "activates" => "gem \"base\", \">= 1\"\nrequire \"base\"\n",
    "looks" => "load File.join(Gem::Specification.find_by_name(\"base\").gem_dir, \"lib/base.rb\")\n"
  }.freeze
  def setup
    super
    @source.add("base", "1.2", files: { "lib/base.rb" => "BASE = \"base\"\n" })
    @begun = File.join(folder, "begun")
    @source.fault("/gems/base-1.2.gem", :delay, until: -> { File.exist?(@begun) })
    native("apart", begun)
  end

  def test_build_waits_only_for_the_gems_it_loads
    LOADS.each { |name, line| native(name, "#{line}BASE == \"base\" or abort\n") }
    events = install(app(gems: ["apart", *LOADS.keys]))

    assert_operator place(events, "build_start", "apart"), :<, place(events, "fetch_done", "base-1.2")
    LOADS.each_key do |name|
      assert_operator place(events, "build_start", name), :>, place(events, "linked", "base-1.2")
      assert_equal 1, count(events, "build_start", name)
    end
  end

  def test_build_without_its_dependency_is_repeated
    native("hides", <<~RUBY)
      File.write("trace", "x", mode: "a")
      begin
        send("req" + "uire", "base") # hidden from the scan of its source
      rescue LoadError
        #{begun}
        raise
      end
      BASE == "base" or abort
    RUBY
    project = app(gems: %w[hides])
    events = install(project, "base-1.2", "hides-1.0")

    assert_equal [2, 1], [count(events, "build_start", "hides"), count(events, "build_done", "hides")]
    assert_equal "x", File.read("#{project.bundle_root}/gems/hides-1.0/ext/hides/trace"), "in separate files"
    second = app("second", gems: %w[hides])
    assert_equal [true], install(second).filter_map { |event| event["cached"] if event["event"] == "build_done" }
  end

  def test_a_build_that_fails_for_another_reason_fails
    native("broken", "#{begun}\nabort \"no such thing\"\n")
    output, status = run_install(app(gems: %w[broken]))

    assert_equal 10, status.exitstatus, output
    assert_equal 1, output.scan("error: broken-1.0: its native extension failed to build").size, output
    assert_includes output, "no such thing"
  end

  private

  # Code that signals the start of the build, after which the dependency is downloaded.
  def begun = "File.write(#{@begun.dump}, \"\")"

  def native(name, line)
    files = { "ext/#{name}/extconf.rb" => "#{line}\nrequire \"mkmf\"\ncreate_makefile(\"#{name}/#{name}\")\n",
              "ext/#{name}/#{name}.c" => "#include <ruby.h>\nvoid Init_#{name}(void) { rb_define_module(\"N\"); }\n" }
    @source.add(name, "1.0", native: true, files: files, dependencies: { "base" => ">= 1" })
  end

  # Installs. Returns the events in order.
  def install(project, *full_names)
    assert_installs(project, *full_names, options: ["--json"]).lines.map { |line| JSON.parse(line) }
  end

  def place(events, kind, name)
    events.index { |event| event["event"] == kind && event["name"] == name } || flunk("no #{kind} of #{name}")
  end

  def count(events, kind, name) = events.count { |event| event["event"] == kind && event["name"] == name }
end
