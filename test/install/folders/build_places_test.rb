# frozen_string_literal: true

require "install/build_case"
require "support/bundle_places"

# Builds are shared between bundles at all locations. Files above a bundle are inputs only if the build reads them.
class BuildPlacesTest < InstallBuildCase
  HIT = [[], %w[alpha]].freeze
  BUILT = [%w[alpha], []].freeze
  # Gems that search missing files: in each parent folder of the bundle, like cargo; among headers and libraries; in
  # folders of Ruby and the system; in the user's data folder and beside the bundle.
  GEMS = {
    "alpha" => "folder = Dir.pwd\nuntil folder == '/'\nFile.exist?(\"\#{folder}/.flavour\")\n" \
               "folder = File.dirname(folder)\nend",
    "beta" => "have_header('ruby.h') and have_header('none.h') and pkg_config('zlib')",
    "gamma" => "[RbConfig::CONFIG['rubylibprefix'], '/usr/local/lib', '/var/lib', '/opt'].each do |folder|\n" \
               "Dir.exist?(folder)\nFile.exist?(\"\#{folder}/none/none\")\nend",
    "delta" => "data = ENV['XDG_DATA_HOME'] || File.join(Dir.home, '.local/share')\n" \
               "File.exist?(\"\#{data}/pkgconfig/personality.d/none\")\n" \
               "File.exist?(\"\#{Gem.dir}/../../../none\")\nFile.realpath(Gem.dir)"
  }.freeze

  def test_each_place_uses_what_any_other_has_built
    GEMS.each { |name, extconf| native(name, extconf: extconf) }
    names = GEMS.keys.sort
    kinds = Spate::BundlePlaces.kinds
    kinds.each do |first|
      assert_equal [names, []], install_at(first, "#{first}/app", names, "from_#{first}"), first
      (kinds - [first]).each do |second|
        assert_equal [[], names], install_at(second, "#{first}/to/deep/#{second}", names, "from_#{first}"),
                     "#{first} to #{second}: #{reasons}"
      end
    end
  end

  # A folder is created on the path of a file that is still missing.
  def test_new_folders_where_a_file_was_missing
    native("alpha", extconf: "File.exist?(File.join(Dir.home, '.local/share/tool/settings'))\n" \
                             "system('none-such')\nFile.exist?('#{folder}/bin/gcc/13/as')")
    path = { PATH: "#{folder}/bin:#{ENV.fetch("PATH")}" }
    assert_equal BUILT, install(another("alpha"), **path)
    FileUtils.mkdir_p(["#{folder}/home/.local/share/tool", "#{folder}/bin/gcc/13"])
    assert_equal HIT, install(another("alpha"), **path), reasons
    write("home/.local/share/tool/settings", "")
    assert_equal BUILT, install(another("alpha"), **path)
    assert_equal({ "alpha" => "#{folder}/home/.local/share/tool/settings is new" }, reasons)
    write("bin/gcc/13/as", "")
    assert_equal BUILT, install(another("alpha"), **path)
  end

  # pkgconf 2.5 searches its personalities this way.
  def test_missed_file_of_a_user_folder_is_missed_where_the_variable_leads
    asking = "data = ENV['XDG_DATA_HOME'] || File.join(Dir.home, '.local/share')\n" \
             "$defs << \"-DFLAVOUR=\#{File.exist?(\"\#{data}/flavour\") ? 2 : 1}\""
    native("alpha", extconf: asking, value: "FLAVOUR")
    assert_equal BUILT, install(another("alpha"))
    %w[one two].each { |at| assert_equal HIT, install(another("alpha"), XDG_DATA_HOME: "#{folder}/#{at}"), reasons }
    write("two/flavour", "")
    assert_equal HIT, install(another("alpha"), XDG_DATA_HOME: "#{folder}/one"), reasons
    assert_equal BUILT, install(second = another("alpha"), XDG_DATA_HOME: "#{folder}/two")
    assert_equal "2", value(second, "alpha")
    assert_equal({ "alpha" => "#{folder}/two/flavour is new" }, reasons)
    assert_equal HIT, install(another("alpha")), reasons
    write("home/.local/share/flavour", "")
    assert_equal BUILT, install(third = another("alpha"))
    assert_equal "2", value(third, "alpha")
  end

  # The path is above the first bundle, but every bundle searches it, because it is absolute.
  def test_missing_path_that_every_bundle_looks_for
    native("alpha", value: "FLAVOUR",
                    extconf: "$defs << \"-DFLAVOUR=\#{File.exist?('#{folder}/one/include/flavour.h') ? 2 : 1}\"")
    assert_equal BUILT, install(app("one/app", gems: %w[alpha], home: "home"))
    second = app("two/app", gems: %w[alpha], home: "home")
    write("one/include/flavour.h", "")
    assert_equal BUILT, install(second)
    assert_equal "2", value(second, "alpha")
    assert_equal({ "alpha" => "#{folder}/one/include/flavour.h is new" }, reasons)
  end

  # git and npm, for example, use the nearest file.
  def test_walk_that_ends_at_the_first_match
    walking("break")
    @home = "group/home"
    write("group/.flavour", "2")
    assert_equal "2", built("group/one/app")
    assert_equal HIT, install(at("group/deep/er/app"))
    assert_equal "3", built("group/three/app", "group/three/.flavour" => "3")
    assert_equal({ "alpha" => "#{folder}/group/three/.flavour is new" }, reasons)
    assert_equal "1", built("other/app")
    File.write("#{folder}/group/.flavour", "4")
    assert_equal "4", built("group/four/app")
  end

  # cargo, for example, reads all of the files. The home is above one project, but not above the other.
  def test_a_walk_through_all_folders
    walking("next")
    write("home/.flavour", "2")
    assert_equal "2", built("home/one")
    assert_equal HIT, install(at("home/deep/er/two"))
    assert_equal "1", built("outside")
    assert_equal({ "alpha" => "it found ~/.flavour above its bundle, which is not a parent folder of this one" },
                 reasons)
    assert_equal HIT, install(at("beside/it"))
    assert_equal "23", built("home/three", "home/three/.flavour" => "3").chars.sort.join
    FileUtils.rm_f("#{folder}/home/.flavour")
    assert_equal HIT, install(at("home/four")), reasons
  end

  private

  # Installs into a bundle at this kind of location.
  def install_at(kind, name, gems, places)
    project = app(name, gems: gems, home: "#{places}/home", **Spate::BundlePlaces.env(kind, "#{folder}/#{places}"))
    Spate::BundlePlaces.own_default(project, "#{folder}/#{places}") if kind == "default"
    install(project)
  end

  # Adds a gem that reads .flavour in each parent folder. after: Ruby code after each file found, such as "break". Its
  # value consists of these values, or is 1 without such a file.
  def walking(after)
    extconf = "folder = Dir.pwd\nfound = []\nuntil folder == '/'\nat, folder = folder, File.dirname(folder)\n" \
              "next unless File.exist?(\"\#{at}/.flavour\")\nfound << File.read(\"\#{at}/.flavour\")\n#{after}\nend\n" \
              "$defs << \"-DFLAVOUR=\#{found.empty? ? 1 : found.join}\""
    native("alpha", extconf: extconf, value: "FLAVOUR")
  end

  def at(path) = app(path, gems: %w[alpha], home: @home || "home")

  # The value after a new build in a project at that path.
  def built(path, files = {})
    project = at(path)
    files.each { |name, text| write(name, text) }
    assert_equal BUILT, install(project)
    value(project, "alpha")
  end
end
