# frozen_string_literal: true

require "install/install_case"

# What installing a gem puts beside its files.
class CommitTest < InstallCase
  # Bundler installs a gem after those that it needs: its own script is the one that stays.
  def test_of_two_executables_of_one_name_that_of_the_gem_which_needs_the_other_stays
    @source.add("below", "1.0", executables: %w[run])
    @source.add("zenith", "1.0", executables: %w[run])
    @source.add("aim", "1.0", executables: %w[run], dependencies: { "zenith" => ">= 0" })
    @source.add("crown", "1.0", executables: %w[run], dependencies: { "below" => ">= 0" })
    { "aim" => %w[aim zenith], "crown" => %w[below crown] }.each do |winner, names|
      2.times do |number|
        project = app("#{winner}#{number}", gems: [winner])
        assert_installs(project, *names.map { |name| "#{name}-1.0" })
        assert_match(/'#{winner}'/, File.read("#{project.bundle_root}/bin/run"))
      end
    end
  end

  def test_a_bundle_without_native_gems_has_no_folder_of_the_platform
    @source.add("plain", "1.0")
    project = app(gems: %w[plain])
    assert_installs(project)

    assert_empty children("#{project.bundle_root}/extensions")
  end
end
