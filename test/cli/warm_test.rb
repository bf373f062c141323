# frozen_string_literal: true

require "cli/warm/warm_case"

# `spate warm on`, `off` and `status`, and what they leave in other reports.
class WarmTest < WarmCase
  def test_on_reports_why_no_command_will_be_forked
    path = ENV.fetch("PATH")

    refute_includes spate("warm", "on", PATH: "#{@bin}:#{path}").err, "warning"
    assert_match(/^warning: no command will be forked: PATH does not contain Spate's native front end\nhint: /,
                 spate("warm", "on", PATH: without_spate).err)
    other = File.join(@bin, "other")
    FileUtils.mkdir_p(other)
    FileUtils.cp("#{@bin}/spate-ruby", "#{other}/spate")

    assert_includes spate("warm", "on", PATH: "#{other}:#{path}").err, "#{other}/spate is not Spate's native front end"
    FileUtils.mv(@app.path("config/environment.rb"), @app.path("config/other.rb"))

    assert_includes spate("warm", "on", PATH: "#{@bin}:#{path}").err,
                    "warning: no command will be forked: #{@app.path("config/environment.rb")} is missing\n"
  ensure
    moved = @app&.path("config/other.rb")
    FileUtils.mv(moved, @app.path("config/environment.rb")) if moved && File.exist?(moved)
  end

  def test_off_removes_the_last_boot_from_the_status
    spate("warm", "on")
    warm_up
    @app.write("config/data.txt", "other")
    show
    give_up = Time.now + 40
    sleep 0.05 until status["last_boot"] || Time.now > give_up

    assert status["last_boot"]
    sleep 0.05 while made? && Time.now < give_up
    spate("warm", "off")

    assert_equal "off for #{@app.folder}\n", spate("warm", "status").out
  end

  # `spate boot status` lists the boots of commands.
  def test_boots_of_parents_are_not_logged
    warm_up
    before = logged
    pid = parents.first["pid"]
    @app.write("config/data.txt", "other")
    show
    give_up = Time.now + 40
    sleep 0.05 until parents.any? { |parent| parent["pid"] != pid } || Time.now > give_up

    refute_equal pid, parent_of_command
    assert_equal before + 1, logged
  end

  private

  def logged = Dir.glob("#{store}/compile-cache/**/*.bootlog").sum { |path| File.readlines(path).size }

  def without_spate
    ENV.fetch("PATH").split(":").reject { |folder| File.exist?(File.join(folder, "spate")) }.join(":")
  end
end
