# frozen_string_literal: true

require "cli/cli_case"
require "open3"

# The launcher starts the newest installed Spate. Small gems replace the installed versions.
class LauncherTest < CLICase
  def launcher(**options)
    path = File.join(folder, "bin/spate")
    FileUtils.mkdir_p(File.dirname(path))
    Spate::CLI::Setup::Launcher.new(ruby: Spate::Util::Ruby.path, folders: [File.join(folder, "gems")],
                                    scope: "x86/3", **options).write(path)
    path
  end

  def install(version)
    write("gems/specifications/spate-#{version}.gemspec", "")
    write("gems/gems/spate-#{version}/lib/spate.rb", <<~RUBY)
      module Spate; end
      module Spate::CLI
        def self.start(argv, **) = puts("#{version} \#{argv.inspect} \#{defined?(Gem).inspect}") || 7
      end
    RUBY
  end

  def run_launcher(path, *argv) = Open3.capture3({ "RUBYOPT" => nil }, path, *argv)

  def test_it_runs_the_newest_without_rubygems
    %w[0.9.0 0.10.0 0.10.0.pre2].each { |version| install(version) }
    out, err, status = run_launcher(launcher, "a b", "--c")

    assert_equal ["0.10.0 [\"a b\", \"--c\"] nil\n", "", 7], [out, err, status.exitstatus]
  end

  def test_an_upgrade_needs_no_new_launcher
    install("0.1.0")
    path = launcher
    install("0.2.0.rc1")

    assert_match(/\A0\.2\.0\.rc1/, run_launcher(path).first)
    install("0.2.0")
    assert_match(/\A0\.2\.0 /, run_launcher(path).first)
  end

  def test_it_reports_a_removed_gem_with_a_hint
    out, err, status = run_launcher(launcher)

    assert_equal ["", 14], [out, status.exitstatus]
    assert_match(/\Aerror: no gem spate is installed for ruby .*\nhint: gem install spate, or remove .*\n\z/, err)
  end

  def test_a_program_that_ended_by_itself_finds_no_error_in_its_at_exit
    install("0.1.0")
    write("gems/gems/spate-0.1.0/lib/spate.rb", <<~RUBY)
      module Spate; end
      module Spate::CLI
        def self.start(*) = at_exit { p $! } && 0
      end
    RUBY

    assert_equal "nil\n", run_launcher(launcher).first
  end

  def test_gem_with_a_similar_name_is_ignored
    install("0.1.0")
    write("gems/specifications/spate-server-9.0.gemspec", "")

    assert_match(/\A0\.1\.0/, run_launcher(launcher).first)
  end

  def test_precompiled_gem_is_found_and_a_compiled_one_of_its_version_is_preferred
    install("0.9.0")
    install("0.10.0-x86_64-linux-gnu")

    assert_match(/\A0\.10\.0-x86_64-linux-gnu /, run_launcher(launcher).first)
    install("0.10.0")
    assert_match(/\A0\.10\.0 /, run_launcher(launcher).first)
  end

  def test_extensions_in_a_separate_folder_are_found
    install("0.1.0")
    write("gems/extensions/x86/3/spate-0.1.0/marker.rb", "puts :marker")
    File.write(File.join(folder, "gems/gems/spate-0.1.0/lib/spate.rb"), "require 'marker'", mode: "a")

    assert_match(/\Amarker/, run_launcher(launcher).first)
  end

  def test_from_its_sources
    path = launcher(lib: File.expand_path("../../../lib", __dir__))

    assert_match(/\Aspate #{Spate::VERSION} /, run_launcher(path, "version").first)
  end

  def test_ruby_whose_path_does_not_fit_a_shebang
    install("0.1.0")
    ruby = File.join(folder, "it's a ruby")
    File.symlink(Spate::Util::Ruby.path, ruby)
    path = File.join(folder, "spate")
    Spate::CLI::Setup::Launcher.new(ruby: ruby, folders: [File.join(folder, "gems")], scope: "x").write(path)

    assert_match(/\A0\.1\.0 \["--x"\] nil/, run_launcher(path, "--x").first)
  end
end
