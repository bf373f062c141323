# frozen_string_literal: true

require "install/install_case"

# Changes that a build makes to its gem's files. For the next application they are repeated from the store.
class ReplayedBuildTest < InstallCase
  CHANGES = <<~'RUBY'
    require "fileutils"
    Dir.chdir(File.expand_path("../..", __dir__)) do
      FileUtils.rm_r("folder") # becomes a file
      File.write("folder", "file")
      FileUtils.mv("moved", "elsewhere") # becomes a link
      File.symlink("elsewhere", "moved")
      File.unlink("file") # becomes a folder
      Dir.mkdir("file")
      File.write("file/inside", "1")
      FileUtils.rm_r("again") # other files in a folder of the same name
      Dir.mkdir("again")
      File.write("again/new", "1")
      Dir.mkdir("private", 0o700)
      File.write("private/key", "1")
      File.chmod(0o750, "shut")
      File.write("b\xFFd \u00e9".b, "a name of invalid bytes")
    end
  RUBY
  FILES = %w[folder/a folder/deep/b moved/a file again/old shut/a lib/changer.rb].to_h { |path| [path, path] }.freeze

  def test_files_become_folders_and_folders_become_files
    @source.add("changer", "1.0", native: true, files: { **FILES, "ext/changer/extconf.rb" => <<~RUBY })
      #{CHANGES}
      require "mkmf"
      create_makefile("changer/changer")
    RUBY
    built, replayed = %w[one two].map { |name| app(name, gems: %w[changer]) }
    assert_match(/1 extension built/, assert_installs(built, "changer-1.0"))
    assert_match(/1 extension reused/, assert_installs(replayed, "changer-1.0"))

    assert_equal gem_files(built), gem_files(replayed)
    assert_equal "file", File.read("#{replayed.bundle_root}/gems/changer-1.0/folder")
    assert_match(/nothing to do/, assert_installs(replayed))
  end

  private

  def gem_files(project) = Spate::TreeComparison.snapshot("#{project.bundle_root}/gems/changer-1.0".b)
end
