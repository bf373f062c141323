# frozen_string_literal: true

require "cli/front/front_case"
require "support/project"

# `spate install` and `spate check` through the front end without a record behave as through the Ruby launcher.
class FrontInstallTest < FrontCase
  def setup
    super
    @source = GemSource.start
    @source.add("base", "1.0")
    @app = Spate::TestProject.new(File.join(folder, "app"), "source '#{@source.url}'\ngem 'base'\n")
    @app.lock
    @app.spate!("install", "--quiet")
  end

  def teardown
    @source&.stop
    super
  end

  def environment = super.merge(@app.env).merge("BUNDLE_APP_CONFIG" => nil)

  # Every path below the application and its home, with the facts that a write would change.
  def state
    Dir.glob("{app,home}/**/*", File::FNM_DOTMATCH, base: folder).sort.to_h do |path|
      stat = File.lstat(File.join(folder, path))
      [path, [stat.ino, stat.size, stat.mtime, stat.ctime]]
    end
  end

  # Asserts that the front end prints the same as Ruby and changes no file. Runs Ruby first, because it may renew
  # records.
  def assert_same_and_unchanged(*words, **options)
    expected = plain(run_program(ruby, *words, **options))
    before = state
    assert_equal expected, plain(run_program(front, *words, **options)), words.inspect
    assert_equal before, state, words.inspect
    expected
  end

  def plain(result) = result.map { |value| value.is_a?(String) ? value.gsub(Spate::SpateCommand::TIMES, "") : value }

  def test_not_in_place
    FileUtils.rm_rf(Dir[@app.path("vendor/bundle/*/*/gems/base-1.0/lib")])
    both = [ruby, front].map { |program| plain(run_program(program, "check", dir: @app.folder)) }
    assert_equal 11, both.first.last
    assert_equal(*both)
    assert_equal "", run_program(front, "install", "--quiet", dir: @app.folder).first
    assert_same_and_unchanged("check", dir: @app.folder)
  end

  def test_lockfile_that_disagrees
    File.write(@app.path("Gemfile"), "\ngem 'missing'\n", mode: "a")

    assert_equal 4, assert_same_and_unchanged("check", dir: @app.folder).last
    assert_same("install", "--frozen", "--local", dir: @app.folder)
  end
end
