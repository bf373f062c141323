# frozen_string_literal: true

require "cli/front/front_case"

# The front end sets the same variables for Ruby's heap as Boot::Exec::Heap.
class FrontHeapTest < FrontCase
  LIB = File.expand_path("../../../lib", __dir__)
  EXPECTED = "require 'spate'; p Spate::Boot::Exec::Heap.environment(ENV, ARGV).sort"
  GIVEN = "#!/bin/sh\n%s\nexec %s --disable-gems -e 'p ENV.to_h.select { |n, _| n =~ /RUBY_GC|HEAP_SET/ }.sort'\n"

  def setup
    super
    write("app/Gemfile", "")
    facts = File.readlines(ruby).grep(/\A#:/).join
    @launcher = File.read(ruby)
    File.write(ruby, format(GIVEN, facts, Spate::Util::Ruby.path))
  end

  def app = File.join(folder, "app")

  # Writes the boot log of the application.
  def log(*lines, locale: "C.UTF-8")
    script = "require 'spate'; Spate::Boot.load_native; a = Spate::Boot::Application.find; " \
             "c = Spate::Boot::CompileCacheFolder.of(ENV); c.make; print c.boot_log_path(a)"
    @log, = run_program(Spate::Util::Ruby.path, "--disable-gems", "-I#{LIB}", "-e", script, dir: app,
                                                                                            env: { "LC_ALL" => locale })
    File.write(@log, lines.map { |line| "#{line}\n" }.join)
  end

  def line(collected, kind: "rake test", ended: "accept", hits: 90, others: 10, parts: ["heap=off"])
    [1_700_000_000, kind, ended, 800, 700, hits, others, collected, "41000,9000,300", *parts].join("\t")
  end

  # Asserts that the front end sets the same variables as Heap.environment, and returns them. in_doubt: the front end
  # may also set none and leave this to Ruby.
  def settings(*command, in_doubt: false, **env)
    env = { "LC_ALL" => "C.UTF-8" }.merge(env.transform_keys(&:to_s))
    expected, = run_program(Spate::Util::Ruby.path, "--disable-gems", "-I#{LIB}", "-e", EXPECTED, *command,
                            dir: app, env: env)
    given, = run_program(front, "exec", "--", *command, dir: app, env: env)
    set = env.keys.grep(/RUBY_GC/).map { |name| [name, env[name]] }
    given = given.sub(set.inspect, "[]")
    assert_equal expected, given, File.read(@log) unless in_doubt && given == "[]\n"
    expected
  end

  def test_settings_after_boots_that_would_gain
    log(line(200), line(300))

    assert_match(/RUBY_GC_.*SPATE_HEAP_SET/, settings("rake", "test"))
    assert_equal "[]\n", settings("rake")
    assert_equal "[]\n", settings("rake", "test", RAILS_ENV: "test")
    assert_equal "[]\n", settings("rake", "test", SPATE_HEAP: "0")
    assert_equal "[]\n", settings("rake", "test", RUBY_GC_HEAP_GROWTH_FACTOR: "1.1")
    assert_match(/RUBY_GC/, settings("bin/rake", "test", BUNDLE_GEMFILE: "Gemfile"))
    log(line(200, kind: "rake test [test]"))
    assert_match(/RUBY_GC/, settings("rake", "test", RACK_ENV: "test"))
  end

  def test_settings_in_another_locale
    log(line(200), locale: "C")

    assert_match(/RUBY_GC/, settings("rake", "test", LC_ALL: "C"))
    assert_equal "[]\n", settings("rake", "test")
  end

  PARTS = [[], ["heap=off"], ["replay=x", "heap=y"], ["replay=z"]].freeze
  ENDS = %w[accept fork exit after_initialize].freeze

  def test_any_log
    random = Random.new(42)
    30.times do |round|
      lines = Array.new(random.rand(8)) do
        facts = { kind: ["rake test", "rake"], ended: ENDS, others: [10, 89, 90, 91], parts: PARTS }
        line([20, 99, 100, 101, 150, 180].sample(random: random),
             **facts.transform_values { |values| values.sample(random: random) })
      end
      log(*lines)
      settings("rake", "test", **(round.odd? ? { SPATE_HEAP: "1" } : {}))
    end
  end

  def test_damaged_logs
    [["x"], [""], [line(200), "a\tb"], [line(200), line("x")], [line(200, parts: ["odd"])], ["#{line(200)}\xff"],
     [line(200, parts: ["heap=\u00e9"])]].each do |lines|
      log(*lines)
      settings("rake", "test", in_doubt: true, SPATE_HEAP: "1")
    end
  end

  def test_ruby_is_started_once
    File.write(ruby, @launcher)
    log(line(200, kind: "true"), locale: "C.UTF-8")
    env = { "LC_ALL" => "C.UTF-8" }
    restarted = programs(ruby, "exec", "true", dir: app, env: env)

    assert_equal [ruby, Spate::Util::Ruby.path], restarted.first(2)
    assert_equal [front, ruby, restarted.last], programs(front, "exec", "true", dir: app, env: env)
  end

  def test_folder_that_others_may_write
    log(line(200))
    File.chmod(0o777, File.dirname(@log))

    assert_equal "[]\n", settings("rake", "test")
    assert_match(/RUBY_GC/, settings("rake", "test", SPATE_TRUST_STORE: "1"))
  end
end
