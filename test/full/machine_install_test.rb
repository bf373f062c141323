# frozen_string_literal: true

require "support/app_case"
require "spate/tracer"

# A small bundle of real gems, on any machine: two are compiled, and one has a variant for this platform.
# test/full/architectures_test.rb runs this test on emulated architectures.
class MachineInstallTest < Spate::AppCase
  HERE = Spate::Platform.local.to_s.delete_suffix("-gnu")
  OTHER = HERE.start_with?("s390x") ? "x86_64-linux" : "s390x-linux"
  PROGRAM = <<~'RUBY'
    require "bcrypt"
    require "racc/parser"
    require "rack/utils"
    require "choice"
    p BCrypt::Password.create("a", cost: 4) == "a", Racc::Parser::Racc_Runtime_Type, Rack::Utils.escape("ü/"), CHOICE
  RUBY
  SAID = ["true", '"c"', '"%C3%BC%2F"', %("#{HERE}")].freeze

  def setup
    super
    @source = GemSource.start
    ["ruby", HERE, OTHER].each do |platform|
      @source.add("choice", "1.0", platform: platform, files: { "lib/choice.rb" => "CHOICE = #{platform.dump}\n" })
    end
  end

  def teardown
    @source.stop
    super
  end

  def test_the_tree_is_bundlers
    mine, theirs = %w[mine theirs].map { |name| bundle(name) }
    theirs.bundle("install", BUNDLE_FROZEN: "true")
    said = mine.spate!("install", "--compile-cache", "wait", BUNDLE_FROZEN: "true")
    puts said if ENV["SPATE_TEST_TELL"]

    assert_heard(said)
    assert_empty differences(theirs, mine)
    assert_equal ["bcrypt-3.1.20", "choice-1.0-#{HERE}", "racc-1.8.1", "rack-3.0.11"], mine.installed
    assert_match(/satisfied/, mine.bundle("check"))
    boot(mine)
  end

  private

  # A project with a lockfile by Bundler, which both tools use.
  def bundle(name)
    project = Spate::TestProject.new(File.join(folder, name), gemfile, home: File.join(folder, "home-#{name}"))
    @lock ||= begin
      project.lock
      File.read(project.path("Gemfile.lock"))
    end
    File.write(project.path("Gemfile.lock"), @lock)
    project
  end

  def gemfile
    registry = Gem.sources.first&.uri or skip "no gem source is set"
    <<~RUBY
      source "#{registry}"
      gem "bcrypt", "3.1.20"
      gem "racc", "1.8.1"
      gem "rack", "3.0.11"
      source("#{@source.url}") { gem "choice" }
    RUBY
  end

  # Without a tracer, the output must say that builds are used by this bundle only.
  def assert_heard(said)
    deaf = said.include?("builds are for this bundle only: they cannot be traced")

    assert_equal Spate::Tracer.available? != true, deaf, said
  end

  # Boots three times. Compile caches are built after the first and second boot, and the third must load all files of
  # the bundle from them.
  def boot(project)
    2.times do
      assert_equal SAID, run_program(project).lines(chomp: true)
      project.spate!("boot", "build")
    end
    project.spate!("boot", "verify")
    assert_equal SAID, run_program(project, SPATE_LOG: project.path("log")).lines(chomp: true)
    log = File.read(project.path("log"))

    assert_match(/ miss /, log, "what follows could not fail")
    refute_includes log, project.bundle_root
  end

  def run_program(project, **env) = project.spate!("exec", "ruby", "-e", PROGRAM, **env)
end
