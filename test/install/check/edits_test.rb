# frozen_string_literal: true

require "json"
require "install/install_case"

# Edited files of installed gems, as reported by `spate install`, `check` and `doctor`.
class EditsTest < InstallCase
  TEXT = "RIGHT = 1\n"

  def setup
    super
    @source.add("edited", "1.0", files: { "lib/edited.rb" => TEXT, "lib/other.rb" => "OTHER = 1\n" })
    @source.add("calm", "1.0")
    @one, @two = %w[one two].map { |name| app(name, gems: %w[edited calm]).tap { |project| assert_installs(project) } }
  end

  # The command changes no file. It reports an edit in any project, and the projects that share the edited file.
  %w[check doctor].each do |command|
    define_method(:"test_#{command}_names_it_and_writes_nothing") do
      edit(@one)
      before = everything
      [@one, @two].each do |project|
        output, status = project.spate(command)
        assert_predicate status, :success?, output
        assert_includes output, "edited-1.0: lib/edited.rb was changed in place, and is shared with 1 other project"
        assert_includes output, "hint: `spate install` keeps it in this bundle only, " \
                                "`spate restore edited` restores the package's file"
      end
      assert_equal before, everything
    end
  end

  # An edit must not be copied from one project to another.
  def test_install_separates_a_project_from_the_others
    edit(@one)
    output = assert_installs(@two)
    assert_match(/lib.edited\.rb was changed in place.* shared with 1 other.*; it is kept with the change/, output)
    assert_equal ["EDITED = 1\n"] * 2, [read(@one), read(@two)]
    assert_equal [1, 1], [@one, @two].map { |project| File.stat(file(project)).nlink }
    assert_store_clean(@one)

    @two.spate!("restore", "edited")
    assert_equal ["EDITED = 1\n", TEXT], [read(@one), read(@two)]
    assert_match(/edited-1\.0: lib.edited\.rb was changed$/, @one.spate!("check"))
    refute_match(/warning/, @two.spate!("check"))
    assert_equal "1", @one.bundle("exec", "ruby", "-e", "require 'edited'; print EDITED")
  end

  # Some gems write a log or a cache into their own folder. The program must continue to append to this file and to no
  # other project's.
  def test_a_file_that_a_program_appends_to
    append = -> { File.write(file(@one), "# more\n", mode: "a") }
    append.call
    assert_installs(@one)
    append.call
    @two.spate!("check")
    @two.spate!("restore", "edited")
    assert_equal ["#{TEXT}# more\n# more\n", TEXT], [read(@one), read(@two)]
    assert_store_clean(@one)
  end

  def test_a_third_project_never_links_the_edit
    edit(@one)
    third = app("third", gems: %w[edited])
    output = assert_installs(third, "edited-1.0")
    assert_includes output, "warning: edited-1.0: the store's lib/edited.rb was changed: restored from its archive\n" \
                            "hint: check the other objects: spate store verify\n"
    assert_equal [TEXT, "EDITED = 1\n", "EDITED = 1\n"], [read(third), read(@one), read(@two)]
    assert_match(/shared with 1 other project/, @one.spate!("check"))
    assert_store_clean(third)
  end

  # Without an archive in the store, the gem is fetched again.
  def test_a_poisoned_store_without_the_archive
    edit(@one)
    FileUtils.rm_rf("#{@one.home}/spate/store/v1/archives")
    third = app("third", gems: %w[edited])
    assert_installs(third, "edited-1.0")
    assert_equal [TEXT, "EDITED = 1\n"], [read(third), read(@one)]
    assert_store_clean(third)
  end

  def test_restore_reverts_every_edit
    @source.add("native", "1.0", native: true)
    one, two = %w[three four].map { |name| app(name, gems: %w[native edited]).tap { |made| assert_installs(made) } }
    library = Dir.glob("#{one.bundle_root}/gems/native-1.0/lib/**/*.so").fetch(0)
    before = [File.binread(library), tree_of(two)]
    File.write(library, "broken", mode: "ab")
    one.spate!("edit", "edited")
    edit(one)
    File.unlink(file(one, "other"))
    output = one.spate!("restore", "native", "edited")
    assert_match(/1 extension reused/, output)
    assert_includes output, "restored: native-1.0, edited-1.0\n"
    assert_equal [before, TEXT], [[File.binread(library), tree_of(two)], read(one)]
    assert_path_exists file(one, "other")
    assert_match(/^edited +1\.0 +linked/, one.spate!("list"))
    refute_match(/warning/, one.spate!("check"))
    assert_whole(one)
  end

  def test_restore_without_a_lockfile
    @source.add("tool", "1.0")
    project = app("bare", gems: %w[tool])
    File.unlink(project.path("Gemfile.lock"))
    output, status = project.spate("restore", "tool")
    assert_equal 2, status.exitstatus, output
    assert_match(/Gemfile\.lock does not exist\nhint: create it: spate install$/, output)
  end

  def test_restore_of_everything_and_of_nothing
    FileUtils.chmod_R("g+w", @one.path("vendor"))
    @one.spate!("restore", "--all")
    refute_match(/warning/, @one.spate!("check"))
    { "" => 2, "none" => 14, "edite" => 14 }.each do |name, code|
      output, status = @one.spate("restore", *name.split)
      assert_equal code, status.exitstatus, output
      assert_match(/^hint: /, output)
    end
    assert_match(/did you mean edited\?/, @one.spate("restore", "edite").first)
  end

  # `bundle pristine` has the same effect.
  def test_bundle_pristine_restores_in_this_project
    edit(@one)
    @one.bundle("pristine", "edited")
    assert_equal [TEXT, "EDITED = 1\n"], [read(@one), read(@two)]
    refute_match(/warning/, @one.spate!("check"))
  end

  # Files may be missing after `git clean` with a wrong pattern, or after a disk repair.
  def test_deleted_file_is_reported_and_restored
    @source.add("native", "1.0", native: true)
    project = app("three", gems: %w[native edited]).tap { |made| assert_installs(made) }
    gone = [file(project), *Dir.glob("#{project.bundle_root}/**/*.so"),
            Dir.glob("#{project.bundle_root}/gems/native-1.0/ext/**/*.c").fetch(0)]
    before = gone.map { |path| [Digest::SHA256.file(path), File.stat(path).mode] }
    gone.each { |path| File.unlink(path) }
    Dir.rmdir(File.dirname(gone.last)) if Dir.empty?(File.dirname(gone.last))
    output, status = project.spate("check")
    assert_equal 11, status.exitstatus, output
    assert_includes output, "edited-1.0: lib/edited.rb is missing\nhint: `spate install` restores it\n"
    assert_match(/^error: #{gone.size} files of the bundle missing\nhint: spate install$/, output)
    assert_match(/broken.*#{gone.size} files of its gems are missing/, project.spate("doctor").first)

    assert_match(/lib.edited\.rb was missing, now restored/, assert_installs(project))
    assert_equal before, gone.map { |path| [Digest::SHA256.file(path), File.stat(path).mode] }
    refute_match(/warning/, project.spate!("check"))
  end

  # An edit belongs to the bundle that was moved, not to the bundle that is now at its old path.
  def test_a_moved_bundle
    moved = app("moved", gems: %w[edited calm])
    FileUtils.mv(@one.path("vendor"), moved.path("vendor"))
    edit(moved)
    assert_match(/edited-1\.0: lib.edited\.rb was changed in place, and is shared with 1 other/, moved.spate!("check"))
    assert_installs(@one)
    assert_equal [TEXT, "EDITED = 1\n"], [read(@one), read(moved)]
    assert_match(/shared with 1 more name unknown to the store$/, @two.spate!("check"))
    assert_match(/as a separate file of this bundle/, assert_installs(moved))
    assert_match(/edited-1\.0: lib.edited\.rb was changed$/, moved.spate!("check"))
    assert_match(/^edited +1\.0 +linked/, moved.spate!("list"))
  end

  # Private copies are still private after a move.
  def test_a_moved_bundle_with_a_private_gem
    @one.spate!("edit", "edited")
    edit(@one)
    moved = app("moved", gems: %w[edited calm])
    FileUtils.mv(@one.path("vendor"), moved.path("vendor"))
    refute_match(/warning/, moved.spate!("check"))
    assert_match(/^edited +1\.0 +private/, moved.spate!("list"))
    assert_match(/nothing to do/, assert_installs(moved))
    assert_match(/^edited +1\.0 +private/, moved.spate!("list"))
  end

  # Editors may write in place, so `bundle open` would open a file that all projects share.
  def test_open_gives_this_bundle_its_own_inode
    editor = write("editor", "#!/bin/sh\nstat -c %h \"$1/lib/edited.rb\"\necho 'EDITED = 1' > \"$1/lib/edited.rb\"\n",
                   mode: 0o755)
    output = @one.spate!("open", "edited", BUNDLER_EDITOR: editor, EDITOR: editor)
    assert_match(/^1$/, output)
    assert_equal ["EDITED = 1\n", TEXT], [read(@one), read(@two)]
    refute_match(/warning/, @one.spate!("check"))
    assert_match(/the bundle has no gem "none"/, @one.spate("open", "none", EDITOR: editor).first)
  end

  def test_a_file_that_was_replaced_stays
    File.unlink(file(@one))
    File.write(file(@one), "MINE = 1\n")
    output = assert_installs(@one)

    assert_match(%r{edited-1\.0: lib/edited\.rb was changed$}, output)
    assert_equal ["MINE = 1\n", TEXT], [read(@one), read(@two)]
    assert_store_clean(@one)
  end

  # The mode is part of the inode, so a change in one project affects the others.
  def test_modes_of_a_whole_bundle_are_one_line
    @source.add("quiet", "1.0", files: ("a".."k").to_h { |name| ["lib/#{name}.rb", "# #{name}\n"] })
    three, four = %w[three four].map { |name| app(name, gems: %w[edited quiet]).tap { |made| assert_installs(made) } }
    FileUtils.chmod_R("g+w", three.path("vendor"))

    [/the modes of 13 files in 2 gems were changed in place, and are shared with 3 other projects; they are kept/,
     /the modes of 13 files in 2 gems were changed$/].each do |words|
      warnings = assert_installs(three).lines.grep(/^warning/)
      assert_equal 1, warnings.size, warnings.join
      assert_match words, warnings.first
    end
    assert_equal([0o664, 0o664], [three, four].map { |made| File.stat(file(made)).mode & 0o777 })
    four.spate!("restore", "--all")
    assert_equal([0o664, 0o644], [three, four].map { |made| File.stat(file(made)).mode & 0o777 })
    assert_store_clean(three)
  end

  def test_copies_by_option_setting_and_environment
    wanted = { "option" => [%w[--copy], {}], "environment" => [[], { SPATE_COPY: "1" }], "setting" => [[], {}] }
    wanted.each do |name, (options, env)|
      project = app("copy-#{name}", gems: %w[edited])
      project.bundle("config", "set", "--local", "spate.copy", "true") if name == "setting"
      assert_installs(project, "edited-1.0", options: options, **env)

      assert_equal 1, File.stat(file(project)).nlink, name
      edit(project)
      assert_installs(project, **env)
      assert_equal ["EDITED = 1\n", TEXT], [read(project), read(@two)]
      assert_store_clean(project)
    end
  end

  # A user who wants to edit gems may use --copy after the install, and --no-copy later.
  def test_links_become_copies_and_links_again
    edit_in_copies
    assert_match(/^2 gems in .*, \d+ files relinked$/, assert_installs(@one, options: %w[--no-copy]))
    assert_equal ["EDITED = 1\n", TEXT], [read(@one), read(@two)]
    assert_equal 1, File.stat(file(@one)).nlink
    assert_operator File.stat(file(@one, "other")).nlink, :>, 1
    assert_match(/nothing to do/, assert_installs(@one))
    assert_store_clean(@one)
  end

  def test_a_private_tree_stays_private_when_copies_become_links
    assert_installs(@one, SPATE_COPY: "1")
    @one.spate!("edit", "edited")
    assert_installs(@one)

    assert_equal 1, File.stat(file(@one)).nlink
    assert_operator File.stat("#{@one.bundle_root}/gems/calm-1.0/lib/calm.rb").nlink, :>, 1
  end

  def test_unrecorded_links_become_copies
    FileUtils.rm_rf("#{@one.home}/spate")
    refute_empty shared(@one)
    assert_match(/files copied$/, assert_installs(@one, options: %w[--copy]))

    assert_empty shared(@one)
    assert_match(/nothing to do/, assert_installs(@one))
  end

  def test_links_of_a_build_become_copies
    @source.add("native", "1.0", native: true)
    one, two = %w[first second].map { |name| app(name, gems: %w[native]).tap { |project| assert_installs(project) } }
    refute_empty shared(two)
    assert_installs(two, options: %w[--copy])

    assert_empty shared(two)
    assert_match(/satisfied/, two.bundle("check"))
    assert_match(/nothing to do/, assert_installs(one))
    assert_store_clean(one)
  end

  # Both projects still share inodes, and no store has a record of that.
  def test_check_after_the_store_is_deleted
    FileUtils.rm_rf("#{@one.home}/spate")
    assert_match(/odd +2 gems share files .*: calm-1\.0, edited-1\.0$/, @one.spate("doctor").first)

    assert_match(%r{\d files copied .*you can edit them\n.*/gems/edited-1\.0\n}, @one.spate!("edit", "edited"))
    edit(@one)
    assert_installs(@one)
    assert_equal ["EDITED = 1\n", TEXT], [read(@one), read(@two)]
    assert_match(/^edited +1\.0 +private +http/, @one.spate!("list"))
    assert_match(/1 gem shares files.*: calm-1\.0$/, @one.spate("doctor").first)
    output, = app("new", gems: %w[edited]).spate("edit", "edited")
    assert_match(/^error: edited-1\.0 is not installed in .*\nhint: spate install/, output)
  end

  def test_a_private_copy_before_editing
    output, status = @one.spate("edit", "edited")
    assert_predicate status, :success?, output
    assert_equal 1, File.stat(file(@one)).nlink
    edit(@one)
    assert_installs(@one)

    assert_equal ["EDITED = 1\n", TEXT], [read(@one), read(@two)]
    assert_store_clean(@one)
  end

  private

  # { path => facts that a write would change }, except caches and times that reading changes.
  def everything
    Dir.glob("**/*", File::FNM_DOTMATCH, base: folder).grep_v(%r{/(checks|locks|own|texts)/}).sort.to_h do |path|
      stat = File.lstat("#{folder}/#{path}")
      [path, [stat.ino, stat.mode, stat.size, stat.nlink, *([stat.mtime, stat.ctime] if stat.file?)]]
    end
  end

  def tree_of(project) = Spate::TreeComparison.snapshot(project.bundle_root)

  def edit_in_copies
    assert_match(/^2 gems in .*, \d+ files copied$/, assert_installs(@one, options: %w[--copy]))
    assert_empty shared(@one)
    assert_match(/^edited +1\.0 +copied/, @one.spate!("list"))
    edit(@one)
    assert_equal TEXT, read(@two)
    assert_match(/nothing to do/, assert_installs(@one))
  end

  # Files of a bundle that have other hard links.
  def shared(project)
    Dir.glob("#{project.bundle_root}/**/*").select { |path| File.file?(path) && File.stat(path).nlink > 1 }
  end

  def file(project, name = "edited") = "#{project.bundle_root}/gems/edited-1.0/lib/#{name}.rb"
  def read(project) = File.read(file(project))

  # Edits a file in place, like some editors, so that its inode stays the same.
  def edit(project)
    sleep 0.02 # after the clock tick in which the file was written
    File.open(file(project), "r+") do |io|
      io.write("EDITED = 1\n")
      io.truncate(11)
    end
  end
end
