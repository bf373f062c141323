# frozen_string_literal: true

require "json"
require "install/install_case"

# Files of installed gems that somebody edits, as `spate install`, `check` and `doctor` find them.
class EditsTest < InstallCase
  TEXT = "RIGHT = 1\n"

  def setup
    super
    @source.add("edited", "1.0", files: { "lib/edited.rb" => TEXT, "lib/other.rb" => "OTHER = 1\n" })
    @source.add("calm", "1.0")
    @one, @two = %w[one two].map { |name| app(name, gems: %w[edited calm]).tap { |project| assert_installs(project) } }
  end

  # An editor's backup tells where the edit was made.
  %w[install check doctor].each do |command|
    define_method(:"test_#{command}_where_the_edit_was_made") { found_by(@one, @one, @two, command) }

    define_method(:"test_#{command}_in_the_other_project") do
      File.write("#{file(@one)}~", TEXT)
      found_by(@two, @one, @two, command)
    end
  end

  # Nothing tells: the edit stays in one of the projects, and its bytes are kept beside the store too.
  def test_an_edit_without_a_trace_is_never_lost
    edit(@one)
    assert_match(/edited\.rb/, assert_installs(@two))
    assert_installs(@one)

    assert_equal ["EDITED = 1\n", TEXT], [read(@one), read(@two)].sort
    kept = Dir.glob("#{@one.home}/spate/store/v1/edits/**/edited.rb")
    assert_equal(["EDITED = 1\n"], kept.map { |path| File.read(path) })
    assert_store_clean(@one)
  end

  # Nothing says where it was made: the message says so, who lost the file to the guess, and where a copy of it is; and
  # that project is told once, by whatever command comes first there.
  %w[install check doctor].each do |command|
    define_method(:"test_#{command}_tells_the_healed_project_once") do
      [@one, @two].each { |project| FileUtils.mkdir_p(project.path(".git")) }
      File.utime(Time.now - 600, Time.now - 600, @one.path(".git")) # somebody works in the other one, which is no sign
      edit(@one)
      output = assert_installs(@one)
      copy = Dir.glob("#{@one.home}/spate/store/v1/edits/**/edited.rb").fetch(0)
      ["cannot tell where", file(@one), @two.bundle_root, copy].each { |words| assert_includes output, words }
      assert_includes output, "hint: made in #{@two.bundle_root}? `spate edit edited` there, " \
                              "then `cp #{copy} #{file(@two)}`\n"

      output, = @two.spate(command)
      told = "edited-1.0: lib/edited.rb was changed in place, cannot tell where; #{@one.bundle_root} keeps the edit"
      [told, "a copy of the edit is #{copy}", "made here? `spate edit edited`, then `cp #{copy} #{file(@two)}`"]
        .each { |words| assert_includes output, words }
      refute_includes @two.spate!(command), "edited-1.0"
    end
  end

  # Not told to anybody by --quiet; an event counts.
  def test_told_as_events
    edit(@one)
    assert_installs(@one)
    @two.spate!("check", "--quiet")
    event = edited_events(@two.spate!("check", "--json")).fetch(0)
    assert_equal ["healed", "edited-1.0", "lib/edited.rb", @one.bundle_root, [@two.bundle_root], [file(@two)], false],
                 event.values_at("kind", "name", "path", "project_root", "healed", "healed_at", "certain")
    assert_equal "EDITED = 1\n", File.read(event["saved_at"])
    assert_empty edited_events(@two.spate!("install", "--json"))
  end

  # What was found is settled by then, and no later run finds it again.
  def test_an_install_that_fails_tells_what_it_found
    edit(@one)
    assert_installs(@one)
    File.write(@two.path("Gemfile"), "gem 'gone'\n", mode: "a")
    @source.add("gone", "1.0")
    lock(@two, %w[edited calm gone])
    @source.fault(%r{/gems/gone}, :status, code: 404)
    output, status = run_install(@two)
    refute_predicate status, :success?, output
    assert_includes output, "this bundle has the package's file again"
    refute_includes @two.spate("check").first, "edited-1.0"
  end

  def test_a_third_project_never_links_the_edit
    File.write("#{file(@one)}~", TEXT)
    edit(@one)
    third = app("third", gems: %w[edited])
    assert_installs(third, "edited-1.0")

    assert_equal TEXT, read(third)
    assert_equal "EDITED = 1\n", read(@one)
    assert_installs(@two)
    assert_equal [TEXT, "EDITED = 1\n"], [read(@two), read(@one)]
    assert_store_clean(third)
  end

  def test_a_file_that_was_replaced_stays
    File.unlink(file(@one))
    File.write(file(@one), "MINE = 1\n")
    output = assert_installs(@one)

    assert_match(%r{edited-1\.0.*lib/edited\.rb.*replaced}, output)
    assert_equal ["MINE = 1\n", TEXT], [read(@one), read(@two)]
    assert_store_clean(@one)
  end

  # Modes are the inode's: what one project does to its folder the others would have, too.
  def test_modes_of_a_whole_bundle_are_one_line
    @source.add("quiet", "1.0", files: ("a".."k").to_h { |name| ["lib/#{name}.rb", "# #{name}\n"] })
    three, four = %w[three four].map { |name| app(name, gems: %w[edited quiet]).tap { |made| assert_installs(made) } }
    FileUtils.chmod_R("g+w", three.path("vendor"))

    [/the modes of 13 files in 2 gems were changed in place, cannot tell where; the edits stay, .* the store have/,
     /the modes of 13 files in 2 gems were changed$/].each do |words|
      warnings = assert_installs(three).lines.grep(/^warning/)
      assert_equal 1, warnings.size, warnings.join
      assert_match words, warnings.first
    end
    assert_equal([0o664, 0o644], [three, four].map { |made| File.stat(file(made)).mode & 0o777 })
    assert_match(/the modes of 13 files .*; \S+three\S+ keeps the edits, this bundle has/, assert_installs(four))
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

  # Asked for once the bundle is there, as by somebody who wants to edit.
  def test_links_become_copies_and_links_again
    edit_in_copies
    assert_match(/^2 gems in .*, \d+ files linked again$/, assert_installs(@one, options: %w[--no-copy]))
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

  def test_links_that_nobody_recorded_become_copies
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

  # Both projects still hold the same inodes, and no store knows of it.
  def test_after_the_store_was_deleted
    FileUtils.rm_rf("#{@one.home}/spate")
    assert_match(/odd +2 gems share files .*: calm-1\.0, edited-1\.0$/, @one.spate("doctor").first)

    assert_match(%r{\d files copied .*yours to edit\n.*/gems/edited-1\.0\n}, @one.spate!("edit", "edited"))
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

  def edited_events(output)
    output.lines.map { |line| JSON.parse(line) }.select { |event| event["event"] == "edited" }
  end

  # The edit is named by the command in `asking`, stays where it was made, and is nowhere else.
  def found_by(asking, maker, other, command)
    edit(maker)
    output, status = asking.spate(command)
    assert_predicate status, :success?, output
    assert_match(%r{edited-1\.0.*lib/edited\.rb}, output)

    assert_equal ["EDITED = 1\n", TEXT], [read(maker), read(other)]
    assert_store_clean(asking)
    again, = asking.spate("install")
    assert_equal ["EDITED = 1\n", TEXT], [read(maker), read(other)], again
    assert_equal "1", maker.bundle("exec", "ruby", "-e", "require 'edited'; print EDITED")
  end

  def edit_in_copies
    assert_match(/^2 gems in .*, \d+ files copied$/, assert_installs(@one, options: %w[--copy]))
    assert_empty shared(@one)
    assert_match(/^edited +1\.0 +copied/, @one.spate!("list"))
    edit(@one)
    assert_equal TEXT, read(@two)
    assert_match(/nothing to do/, assert_installs(@one))
  end

  # Files of a bundle that have another name somewhere.
  def shared(project)
    Dir.glob("#{project.bundle_root}/**/*").select { |path| File.file?(path) && File.stat(path).nlink > 1 }
  end

  def file(project, name = "edited") = "#{project.bundle_root}/gems/edited-1.0/lib/#{name}.rb"
  def read(project) = File.read(file(project))

  # Without a new inode, as an editor does that writes in place.
  def edit(project)
    sleep 0.02 # past the clock tick of what made the file
    File.open(file(project), "r+") do |io|
      io.write("EDITED = 1\n")
      io.truncate(11)
    end
  end
end
