# frozen_string_literal: true

require "support/boot_sameness_case"

# A small real Rails application must be in the same state after a boot with and without Spate.
class BootSamenessTest < Spate::BootSamenessCase
  def setup
    super
    @app = self.class.app { |app| warm(app) }
  end

  # The application, booted once to build the compile caches.
  def self.app(&block)
    @app ||= Spate::BootRails.shared.tap(&block)
  end

  def test_features_constants_methods_backtraces_and_answers
    told, found = assert_same_boot(@app)

    assert_equal [200, "a"], told[:response]
    assert_equal(%i[lean replay load_path_cache loader].to_h { |part| [part, true] },
                 found.facts[:parts].slice(:lean, :replay, :load_path_cache, :loader))
    assert_operator found.facts[:requirer][:hit], :>, 100
  end

  def test_each_part_enabled_separately
    plain = @app.told(spate: false)
    Spate::BootProject::PARTS.each_key do |part|
      assert_same_boot(@app, hits: (500 if part == :bundle), plain: plain,
                             **Spate::BootProject.only(part).transform_keys(&:to_sym))
    end
  end

  # With -w the parser warns when it compiles a file, so files with warnings are always compiled. Ruby 3.4 and later
  # compile all files.
  def test_warnings
    _, found = assert_same_boot(@app, hits: (500 if RUBY_VERSION < "3.4"), RUBYOPT: "-w")

    assert_match(/warn/, found.err)
  end

  def test_coverage
    File.write(@app.path("cover.rb"), "require \"coverage\"\nCoverage.start(lines: true)\n")
    told, = assert_same_boot(@app, hits: nil, RUBYOPT: "-r#{@app.path("cover.rb")}")

    assert_equal [1, 1], told[:coverage].fetch(@app.path("app/models/note.rb")).values_at(0, 1)
  end

  def test_eager_loading
    assert_same_boot(@app, hits: nil, RAILS_ENV: "production")
  end

  def test_exit_codes
    [{ BOOT_EXIT: "7" }, { BOOT_RAISE: "1" }].each do |ending|
      _, found = assert_same_boot(@app, **ending)

      assert_equal ending[:BOOT_EXIT] ? 7 : 1, found.code
    end
  end

  # Runs the tests that these gems include.
  def test_the_test_suites_of_gems_pass_the_same
    { "builder" => "test/test_*.rb", "minitest" => "test/minitest/test_minitest_{assertions,spec,test}.rb" }
      .each do |name, tests|
      root = Dir.glob("#{@app.bundle_root}/gems/#{name}-[0-9]*").first
      files = Dir.glob("#{root}/#{tests}").reject { |file| file.end_with?("performance.rb") }
      expected, found = %i[plain spate].map { |way| suite(way, root, files) }

      assert_equal expected, found, name
      assert_match(/\A[1-9]\d+ runs, [1-9]\d+ assertions, /, found.last)
    end
  end

  private

  # [exit code, minitest's counts]. If `way` is :spate, the program runs twice, the second time from compile caches.
  def suite(way, root, files)
    arguments = ["-I#{root}/test", "-I#{root}", "-e", "ARGV.slice!(0, #{files.length}).each { |file| require file }",
                 *files, "--seed", "1"]
    @app.spate(*arguments, readonly: false) if way == :spate
    @app.settle
    result = @app.public_send(way, *arguments, chdir: root, BUNDLE_GEMFILE: @app.path("Gemfile"))
    [result.code, result.out[/^\d+ runs, .*/].to_s]
  end
end
