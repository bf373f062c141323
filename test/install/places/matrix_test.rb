# frozen_string_literal: true

require "install/places/places_case"

# Combines locations of a bundle (Ruby's own gem folder, GEM_HOME, a path in each project, a shared path, copies,
# another file system), projects (one, others with other gems, others with the same gems, a deleted one), edits (one gem
# each) and commands.
class PlacesMatrixTest < PlacesCase
  # { gem => [edit of its lib/NAME.rb, how `check` reports it: [kind, whether only the mode differs]] }
  EDITS = {
    "append" => [->(path) { File.write(path, "APPEND += 1\n", mode: "a") }, ["changed", false]],
    "inplace" => [->(path) { File.write(path, "INPLACE = 2", mode: "r+") }, ["changed", false]],
    "rename" => [lambda { |path|
      File.write("#{path}~", "RENAME = 2\n")
      File.rename("#{path}~", path)
    }, ["changed", false]],
    "truncate" => [->(path) { File.truncate(path, 0) }, ["changed", false]],
    "chmod" => [->(path) { File.chmod(0o664, path) }, ["changed", true]],
    "delete" => [->(path) { File.unlink(path) }, ["missing", false]],
    "added" => [->(path) { File.write(path.sub(/\.rb\z/, "_new.rb"), "NEW = 1\n") }, nil]
  }.freeze
  NAMED = EDITS.transform_values(&:last).compact.transform_keys { |name| "#{name}-1.0" }.freeze
  # Edits that an install keeps. A deleted file is restored.
  STAYING = (NAMED.keys - ["delete-1.0"]).freeze
  LOOK = "require 'append'; require 'inplace'; require 'rename'; print [APPEND, INPLACE, RENAME].inspect"
  # { kind => gems of each further project }. The first project has all of EDITS.
  OTHERS = { one: [], two: [%w[calm]], alike: [%w[calm append delete rename], %w[quiet chmod append]],
             gone: [%w[calm append], %w[quiet]] }.freeze
  PLACES = %i[default gem_home vendor shared copies some_copies other_disk].freeze
  # The combinations that are tested without SPATE_TEST_FULL.
  BRIEF = [%i[default alike], %i[default gone], %i[default two], %i[gem_home two], %i[vendor alike], %i[shared one],
           %i[copies two], %i[some_copies alike], %i[other_disk alike]].freeze

  PLACES.product(OTHERS.keys).each do |place, others|
    next unless ENV["SPATE_TEST_FULL"] || BRIEF.include?([place, others])

    define_method(:"test_#{place}_#{others}") { scene(place, others) }
  end

  private

  def scene(place, others)
    (EDITS.keys + %w[calm quiet]).each { |name| @source.add(name, "1.0", files: { "lib/#{name}.rb" => text(name) }) }
    @place = place
    @first = project("first", EDITS.keys, 1)
    @others = OTHERS.fetch(others).each_with_index.map { |gems, index| project("other#{index}", gems, index + 2) }
    @pristine = contents(gems_of(@first), EDITS.keys.map { |name| "#{name}-1.0" })
    FileUtils.rm_rf(@others.pop.folder) if others == :gone
    assert_named({})
    edit
    looks_without_writing
    a_new_project_gets_the_packages_files
    another_install_changes_nothing_of_the_first
    edit_marks_one
    install_names_and_keeps
    restore_ends_it
  end

  def text(name) = "#{name.upcase} = 1\n"

  def project(name, gems, number)
    made = app(name, gems: gems, checksums: sums(gems), **environment(@place, number))
    made.spate!("install")
    made
  end

  def gems_of(project) = gem_root(project, @place)

  def edit
    sleep 0.02 # after the clock tick in which the files were written
    EDITS.each { |name, (change, _)| change.call("#{gems_of(@first)}/#{name}-1.0/lib/#{name}.rb") }
    @edited = contents(gems_of(@first))
    @theirs = @others.map { |other| contents(gems_of(other)) }
  end

  def looks_without_writing
    states = events(@first, "list").fetch(:gem).to_h { |gem| [gem[:name], gem[:state]] }
    assert_equal(EDITS.keys.to_h { |name| [name, copied.include?(name) ? "copied" : "linked"] }, states)
    assert_named(NAMED)
    @others.each { |other| assert_named(of(other), other) }
    said = @first.spate!("exec", "ruby", "-e", LOOK)
    assert_equal "[2, 2, 2]", said.lines.last
    assert_equal [@edited, @theirs], [contents(gems_of(@first)), @others.map { |other| contents(gems_of(other)) }]
  end

  # The gems of the first project that are copies, because a project at the same location was installed with --copy.
  def copied
    return EDITS.keys if @place == :copies

    @place == :some_copies && @others.any? ? gems_in(@others.first).map { |name| name.delete_suffix("-1.0") } : []
  end

  # The expected reports for another project: those of NAMED for gems that it shares with the first project.
  def of(other)
    linked = %w[append-1.0 chmod-1.0 inplace-1.0 truncate-1.0] unless root(@place)
    had = gems_in(other)
    NAMED.select { |name,| had.include?(name) && (linked.nil? || linked.include?(name)) }
  end

  def gems_in(project) = File.read(project.path("Gemfile.lock")).scan(/^    (\w+) \(1\.0\)/).map { "#{_1.first}-1.0" }

  # A new project gets its files from the store, which repairs objects that were edited through links.
  def a_new_project_gets_the_packages_files
    fresh = app("fresh", gems: EDITS.keys, checksums: sums(EDITS.keys), BUNDLE_PATH: "vendor/bundle")
    fresh.spate!("install")
    assert_equal @pristine, contents("#{fresh.bundle_root}/gems")
    assert_store_clean(fresh)
    assert_equal @edited, contents(gems_of(@first))
    assert_named(NAMED)
  end

  # An exception is a deleted file: the first install of a project with this gem restores it.
  def another_install_changes_nothing_of_the_first
    @others.each { |other| other.spate!("install") }
    back = @place != :vendor && @others.any? { |other| gems_in(other).include?("delete-1.0") }
    @edited.merge!(@pristine.slice("delete-1.0/lib/delete.rb")) if back
    assert_equal @edited, contents(gems_of(@first))
    @named = back ? NAMED.except("delete-1.0") : NAMED
    assert_named(@named)
  end

  # Gems marked by `spate edit` are reported as such, also in other projects at the same location.
  def edit_marks_one
    @first.spate!("edit", "append")
    @first.spate!("edit", "added")
    assert_editing({ "added-1.0" => 1, "append-1.0" => 1 }, @first)
    @others.each do |other|
      shared = @place != :vendor && gems_in(other).include?("append-1.0")
      assert_editing(shared ? { "append-1.0" => 1 } : {}, other)
    end
    assert_named(@named.except("append-1.0"))
    assert_equal @edited, contents(gems_of(@first))
  end

  def assert_editing(expected, project)
    found = events(project, "check", status: [0, 11]).fetch(:editing, [])
    assert_equal(expected, found.to_h { |each| [each[:name], each[:files]] })
    expected.each do |name, files|
      assert_match(/^#{name} is being edited: #{files} file changed$/, project.spate("check").first)
    end
    listed = events(project, "edit", "--list").fetch(:editing, []).to_h { |each| [each[:name], each[:files]] }
    assert_equal expected, listed.slice(*expected.keys)
  end

  def install_names_and_keeps
    before = @others.map { |other| contents(gems_of(other)) }
    found = events(@first, "install")
    assert_equal @named.except("append-1.0"), facts(found)
    @edited.merge!(@pristine.slice("delete-1.0/lib/delete.rb"))
    assert_equal @edited, contents(gems_of(@first))
    assert_equal before, @others.map { |other| contents(gems_of(other)) } if @place == :vendor
    assert_store_clean(@first)
    assert_named(NAMED.except("append-1.0", "delete-1.0"), links: [1])
  end

  def restore_ends_it
    @first.spate!("restore", "--all")
    @others.each { |other| other.spate!("install") }
    assert_named({})
    assert_editing({}, @first)
    assert_equal @pristine, contents(gems_of(@first), EDITS.keys.map { |name| "#{name}-1.0" })
    assert_store_clean(@first)
    assert_match(/nothing to do/, @first.spate!("install"))
  end

  # Asserts the report of `check`. links: allowed link counts of edited files.
  def assert_named(expected, project = @first, links: nil)
    missing = expected.value?(["missing", false])
    found = events(project, "check", status: [missing ? 11 : 0])
    assert_equal expected, facts(found)
    assert_empty found.fetch(:edited, []).map { |edit| edit[:links] }.uniq - links if links
  end

  def facts(found)
    found.fetch(:edited, []).to_h { |edit| [edit[:name], edit.values_at(:kind, :mode_only)] }
  end
end
