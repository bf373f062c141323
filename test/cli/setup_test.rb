# frozen_string_literal: true

require "cli/cli_case"

class SetupTest < CLICase
  def bin = File.join(folder, ".local/bin")
  def launcher = File.join(bin, "spate")

  def compiled? = !Spate::CLI::Setup::FrontEnd.compiled.nil?
  def beside = compiled? ? " and spate-ruby beside it" : ""

  def test_it_writes_into_the_users_folder_on_the_path
    result = spate("setup", env: { "PATH" => "#{bin}:/usr/bin" })

    assert_equal [0, "wrote #{launcher}#{beside}\n"], [result.status, result.err]
    assert_equal compiled?, File.exist?("#{launcher}-ruby")
    assert Spate::CLI::Setup::Launcher.own?(launcher)
    assert_equal 0o755, File.stat(launcher).mode & 0o777
  end

  def test_folder_that_is_not_on_the_path_is_reported
    result = spate("setup", "--dir", "there", env: { "PATH" => "/usr/bin" })

    assert_equal "wrote #{folder}/there/spate#{beside}\n" \
                 "hint: put it on the PATH: export PATH=\"#{folder}/there:$PATH\"\n", result.err
  end

  def test_it_prefers_a_folder_earlier_on_the_path
    write("gems/spate", "#!/bin/sh\n", mode: 0o755)
    before = Spate::CLI::Setup.folder("HOME" => folder, "PATH" => "#{bin}:#{folder}/gems")
    behind = { "HOME" => folder, "PATH" => "#{folder}/gems:#{bin}:/usr/local/bin" }

    assert_equal bin, before
    assert_nil Spate::CLI::Setup.folder(behind)
    result = spate("setup", env: behind)
    assert_equal 2, result.status
    assert_match(/\Aerror: none of .* before other .*\nhint: spate setup --dir DIR/, result.err)
    refute_path_exists launcher
  end

  def test_doctor_names_the_folder
    write("gems/spate", "#!/bin/sh\n", mode: 0o755)
    here = spate("doctor", env: { "PATH" => "#{bin}:#{folder}/gems" }).out
    none = spate("doctor", env: { "PATH" => "#{folder}/gems:#{bin}:/usr/local/bin" }).out

    assert_includes here, "hint: spate setup, which writes #{launcher}\n"
    assert_match(/wrapper, .*\n +hint: spate setup --dir DIR/, none)
  end

  def test_doctor_reports_a_launcher_that_is_not_on_the_path
    write("gems/spate", "#!/bin/sh\n", mode: 0o755)
    spate("setup", "--dir", bin)

    assert_includes spate("doctor", env: { "PATH" => "#{folder}/gems:/usr/bin" }).out,
                    "hint: put #{launcher} on the PATH: export PATH=\"#{bin}:$PATH\"\n"
  end

  def test_its_own_file_is_replaced
    2.times { assert_equal 0, spate("setup", "--dir", bin).status }
  end

  def test_foreign_file_is_kept
    write(".local/bin/spate", "#!/bin/sh\necho mine\n", mode: 0o755)
    result = spate("setup", "--dir", bin)

    assert_equal 2, result.status
    assert_match(/exists and is not Spate's launcher\nhint: .*--force/, result.err)
    assert_equal "#!/bin/sh\necho mine\n", File.read(launcher)

    assert_equal 0, spate("setup", "--dir", bin, "--force").status
    assert Spate::CLI::Setup::Launcher.own?(launcher)
  end

  def test_command_earlier_on_the_path_is_reported
    write("first/spate", "#!/bin/sh\n", mode: 0o755)
    result = spate("setup", "--dir", bin, env: { "PATH" => "#{folder}/first:#{bin}" })

    assert_match(%r{^warning: #{folder}/first/spate comes first on the PATH$}, result.err)
  end
end
