# frozen_string_literal: true

require "boot/exec_case"

module Spate
  # The findings of `spate doctor` about boots. There are none if the application boots as intended.
  class DoctorBootCheckTest < ExecCase
    LIB = File.expand_path("../../../lib", __dir__)
    # The environment of another shell, for which the record of the Bundler replay is not valid.
    ELSEWHERE = { BUNDLE_RETRY: "7" }.freeze

    def setup
      super
      @source = GemSource.start
      @source.add("tool", "1.0", dependencies: { "base" => ">= 1" })
      @source.add("base", "1.2")
    end

    def teardown
      @source.stop
      super
    end

    # gemfile: lines after the `source` line.
    def application(gemfile, program, files = {})
      files.each { |path, text| write("app/#{path}", text) }
      write("app/Gemfile", "source '#{@source.url}'\n#{gemfile}")
      write("app/run.rb", program)
      project.spate!("install")
    end

    def boot(*command, **env)
      command = %w[exec ruby run.rb] if command.empty?
      output, status = command.first == "exec" ? project.spate(*command, **env) : project.run(*command, **env)
      assert_predicate status, :success?, output
    end

    # Asserts that there are no findings after one boot, which makes the compile cache in the background, and after
    # several.
    def assert_healthy(*command)
      boot(*command, SPATE_BOOT_BACKGROUND: "1")
      wait { cache && unlocked? }
      assert_silent
      3.times { boot(*command) }
      assert_silent(**ELSEWHERE)
    end

    def findings(**env)
      lines = project.spate("doctor", "--json", **env).first.lines.grep(/\A\{/).map { |line| JSON.parse(line) }
      lines.select { |finding| finding["area"] == "boot" }
    end

    def assert_silent(**env)
      found = findings(**env)
      assert_includes found.first["text"], "in compile caches"
      assert_equal [], (found.reject { |finding| finding["state"] == "ok" })
    end

    def test_gems_of_a_source
      application("gem 'tool'\n", "require 'tool'")
      assert_healthy
    end

    def test_gemspec
      application("gemspec\n", "require 'mine'",
                  "mine.gemspec" => GEMSPEC.gsub("local", "mine"), "lib/mine.rb" => "module Mine; end\n",
                  "bin/mine-tool" => "")
      assert_healthy
    end

    def test_folder_and_git
      repository = GemSource::Repository.new(File.join(folder, "repo"))
      repository.commit(GemSource::Repository.gem_files("twin", "1.0"))
      application("gem 'local', path: 'local'\ngem 'twin', git: '#{repository.url}'\n",
                  "require 'local'; require 'twin'")
      assert_healthy
    end

    def test_groups
      application("ruby RUBY_VERSION\ngem 'tool'\ngroup(:test) { gem 'base' }\n",
                  "require_relative 'config/boot'; Bundler.require(:default, ENV.fetch('RAILS_ENV', 'development'))",
                  "config/boot.rb" => "ENV['BUNDLE_GEMFILE'] ||= File.expand_path('../Gemfile', __dir__)\n" \
                                      "require 'bundler/setup'\n")
      assert_healthy
    end

    def test_required_by_the_application
      application("gem 'tool'\n", "ENV['BUNDLE_GEMFILE'] ||= File.expand_path('Gemfile', __dir__)\n" \
                                  "require 'spate/boot'\nrequire 'bundler/setup'\nrequire 'tool'\n")
      assert_healthy("ruby", "-I#{LIB}", "run.rb")
    end

    def test_bundle_exec_before_spate
      application("gem 'tool'\n", "require 'spate/boot'\nrequire 'tool'\n")
      assert_healthy("bundle", "exec", "ruby", "-I#{LIB}", "run.rb")
      assert_match(/^aside +replay: Bundler has already set up the bundle \(the last boot\)$/,
                   project.spate!("boot", "status"))
    end

    def test_bundler_replay_that_is_refused
      application("gem 'tool'\nputs 'hello'\n", "require 'tool'")
      boot(SPATE_BOOT_BACKGROUND: "1")
      wait { cache && unlocked? }
      2.times { boot }
      odd = findings.reject { |finding| finding["state"] == "ok" }
      assert_match(/\Athe last 2 boots ran Bundler.setup, without its replay: .*prints: hello\z/, odd.first["text"])
      assert_match(/\Aspate boot build; if that does not help, see /, odd.first["hint"])
    end
  end
end
