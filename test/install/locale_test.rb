# frozen_string_literal: true

require "install/install_case"

# Names that are not ASCII, in an ASCII locale, as in most containers.
class LocaleTest < InstallCase
  def test_project_and_files_with_non_ascii_names
    @source.add("plain", "1.0", files: { "lib/plain.rb" => "PLAIN = 1\n", "lib/ü ä.rb" => "" })
    project = app("sp ace é", gems: %w[plain], LC_ALL: "C")

    assert_installs(project, "plain-1.0")
    assert_path_exists "#{project.bundle_root}/gems/plain-1.0/lib/ü ä.rb"
    assert_match(/nothing to do/, assert_installs(project, "plain-1.0"))
    %w[check list doctor].each { |command| assert_equal "", project.spate(command).first.b[/this is a bug.*/].to_s }
    assert_match(/the bundle is complete: 1 gem/, project.spate("check").first.b)
  end
end
