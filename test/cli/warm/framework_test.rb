# frozen_string_literal: true

require "cli/warm/warm_case"

# Commands of an application that cannot be forked are forked from a parent with Rails and the bundle.
class WarmFrameworkTest < WarmCase
  OBSTACLE = "config/initializers/obstacle.rb"

  def setup
    super
    @app.write(OBSTACLE, "$obstacle = IO.pipe\n")
  end

  def teardown
    FileUtils.rm_f(@app.path(OBSTACLE)) if @app
    super
  end

  def test_a_framework_parent
    assert_equal(["framework development"], warm_up.map { |parent| parent["kind"] })
    assert_equal show(SPATE_WARM: "0").out, show.out
    assert_match(/^no parent: application development: the loaded application has an open pipe/,
                 spate("warm", "status").out)
    @app.write("config/data.txt", "other")

    assert parent_of_command, "the application's own files are loaded by the command"
    assert_equal show(SPATE_WARM: "0").out, show.out
    assert_boots_after_a_change_of("config/application.rb") { |text| text.sub("class", "X_CHANGED = 1\nclass") }
    assert_boots_after_a_change_of("config/boot.rb") { |text| "#{text}# changed\n" }
  end

  def test_an_application_parent_follows
    pid = warm_up.first["pid"]
    File.unlink(@app.path(OBSTACLE))
    attempts = Dir.glob("#{store}/warm/*.application-*.attempts")
    old = Time.now - Spate::Boot::WarmParent::Offer::PAUSE - 1
    File.utime(old, old, *attempts)

    assert_equal pid, parent_of_command
    give_up = Time.now + PATIENCE
    sleep 0.1 until (found = application) || Time.now > give_up

    assert found, spate("warm", "status").out
    assert_equal found["pid"], parent_of_command
  end

  private

  def application = parents.find { |parent| parent["kind"] == "application development" }

  def assert_boots_after_a_change_of(path)
    text = File.read(@app.path(path))
    warm_up
    File.write(@app.path(path), yield(text))

    assert_nil parent_of_command, path
  ensure
    File.write(@app.path(path), text)
  end
end
