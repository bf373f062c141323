# frozen_string_literal: true

require "cli/cli_case"
require "json"
require "support/project"

# The last line of `spate doctor`.
class DoctorFasterTest < CLICase
  Line = Spate::Boot::BootLog::Line

  # Boots of one kind. share: percentage of files from compile caches. off: parts that were not active.
  def boots(count, seconds, kind: "rails server", share: 90, cpu: seconds, **off)
    Array.new(count) do |number|
      Line.new(number, kind, "fork", seconds, cpu, share, 100 - share, 0, [], off.transform_keys(&:to_s))
    end
  end

  def advice(*lines) = Spate::CLI::Doctor::Faster.new(lines.flatten).advice
  def how(*lines) = advice(*lines)&.how

  def test_text
    assert_equal "rails server would boot in 0.60 s instead of 1.0 s (medians of 5 and 3 boots): " \
                 "start it with `spate exec`",
                 advice(boots(5, 0.6), boots(3, 1.0, lean: "turned off")).to_s
  end

  def test_advice_names_a_command
    fast = boots(2, 0.5)

    assert_equal "spate boot build", how(fast, boots(2, 2.0, share: 3))
    assert_equal "spate boot build", how(fast, boots(2, 2.0, compile_cache: "no compile cache yet"))
    assert_equal "unset SPATE_NO_REPLAY", how(fast, boots(2, 1.0, replay: "turned off"))
    assert_equal "start it with `spate exec`", how(fast, boots(2, 1.0, replay: "Bundler has already set up the bundle"))
    assert_equal "spate boot build; replay was not used: another value of HOME",
                 how(fast, boots(2, 1.0, replay: "another value of HOME"))
    assert_equal "yaml was not used: Psych is patched", how(fast, boots(2, 1.0, yaml: "Psych is patched"))
  end

  def test_advice_requires_measured_boots
    assert_nil advice
    assert_nil advice(boots(9, 2.0, share: 0)), "never booted from compile caches"
    assert_nil advice(boots(1, 0.5), boots(9, 2.0, lean: "turned off")), "one boot"
    assert_nil advice(boots(9, 0.5, kind: "rake"), boots(9, 2.0, lean: "turned off")), "another program"
    assert_nil advice(boots(9, 2.0, lean: "turned off"), boots(9, 0.5)), "already faster"
    assert_nil advice(boots(9, 0.97), boots(9, 1.0, lean: "turned off")), "chance"
    assert_nil advice(boots(9, 0.5, cpu: 0.5), boots(9, 2.0, cpu: 0.5, lean: "turned off")), "a busy machine"
    assert_nil advice(boots(9, 0.5), boots(9, 2.0, heap: "no past boot was faster with it")), "Spate's own decision"
  end

  def test_largest_saving_of_all_boots
    lines = boots(3, 0.5), boots(2, 2.0, lean: "turned off"),
            boots(3, 0.5, kind: "rake"), boots(9, 1.0, kind: "rake", lean: "turned off")

    assert_equal "rake", advice(*lines).kind
  end

  def test_doctor_prints_it_last
    app = Spate::TestProject.new(File.join(folder, "app"), "")
    app.lock
    write_log(app, [*boots(2, 0.5), *boots(2, 1.0, lean: "turned off")])

    assert_match(/^faster: rails server would boot in 0\.50 s .*: start it with `spate exec`$/,
                 app.spate("doctor").first.lines.last)
    event = JSON.parse(app.spate("doctor", "--json").first.lines.grep(/"faster"/).last)
    assert_equal ["rails server", 1.0, 0.5, [2, 2]], event.values_at("kind", "now", "possible", "boots")
    refute_includes app.spate("doctor", "--quiet").first, "faster"
  end

  private

  def write_log(app, lines)
    require "spate/native/boot"
    caches = Spate::Boot::CompileCacheFolder.new("#{app.home}/spate/store/v1")
    caches.make
    location = Spate::Gemfile.find(app.folder, {})
    text = lines.map do |line|
      times = [line.wall, line.cpu].map { |time| (time * 1000).to_i }
      [line.time, line.kind, line.ended, *times, line.hits, line.others,
       0, "", *line.parts.map { |part| part.join("=") }].join("\t") << "\n"
    end
    File.write(caches.boot_log_path(location), text.join)
  end
end
