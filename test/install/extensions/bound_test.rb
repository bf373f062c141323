# frozen_string_literal: true

require "install/build_case"

# A build that contains the folder of its bundle is not used by others, and `spate explain` gives the reason.
class BoundTest < InstallBuildCase
  def setup
    super
    holding_its_folder("where", "lib/where/version.rb" => "")
  end

  def test_reason_for_the_rebuild_in_the_second_bundle
    first, second = %w[first second].map { |name| app(name, gems: ["where"]) }
    refute_match(/works only there/, assert_installs(first, options: ["--verbose"]))
    output = assert_installs(second, options: ["--verbose"])
    assert_includes output,
                    "building where (the stored build contains the path #{first.bundle_root} and works only there)"
    assert_match(/2 builds of extensions; used only in their bundle, whose path they contain: where-1\.0$/,
                 second.spate("doctor").first)
  end

  def test_a_place_without_files
    app = app("first", gems: ["where"])
    output, = app.spate("doctor", SPATE_HOME: "/proc/spate")
    assert_match(%r{the file system of /proc/spate\S* cannot store files\n +hint: SPATE_HOME=DIR sets another folder$},
                 output)
    refute_includes output, "prune"
  end
end
