# frozen_string_literal: true

require "cli/cli_case"

# What is said of files that are not as their packages have them.
class EditedTest < CLICase
  Edit = Spate::Store::Edits::Edit

  def edit(path, name: "rack-3.0.0", kind: :in_place, **facts)
    saved = { saved_at: "/s/edits/T-#{name}/#{path}" } if kind == :in_place && !facts[:mode_only]
    Edit.new(kind: kind, name: name, path: path, project_root: "/one", kept_at: ["/one/gems/#{name}/#{path}"],
             **(saved || {}), **facts)
  end

  def told(*edits)
    Spate::CLI::Edited.group(edits).map { |edited| [edited.message, edited.hint] }
  end

  def many(count, **facts) = Array.new(count) { |number| edit("lib/#{number}.rb", **facts) }

  def test_a_few_are_told_one_by_one
    assert_equal [["rack-3.0.0: lib/0.rb was changed in place; " \
                   "the edit stays (/one/gems/rack-3.0.0/lib/0.rb), the store is healed",
                   "`spate edit rack` gives this bundle files of its own, for editing"]], told(*many(1))
    assert_equal 10, told(*many(10)).size
  end

  def test_many_files_of_a_gem_are_one_line
    assert_equal [["rack-3.0.0: 11 files (lib/0.rb, lib/1.rb, lib/2.rb and 8 more) were changed in place; " \
                   "the edits stay, the store is healed",
                   "`spate edit rack` gives this bundle files of its own, for editing"]], told(*many(11))
    assert_equal [["rack-3.0.0: 19 files (lib/0.rb, lib/1.rb, lib/2.rb and 16 more) were replaced",
                   "`bundle pristine rack` brings the package's files back"]], told(*many(19, kind: :replaced))
    assert_equal ["rack-3.0.0: 11 files (lib/0.rb, lib/1.rb, lib/2.rb and 8 more) are missing",
                  "rake-1.0: lib/0.rb is missing"],
                 told(*many(11, kind: :missing), *many(1, kind: :missing, name: "rake-1.0")).map(&:first)
  end

  # Somebody may miss them: where their copies are, and how they come back.
  def test_many_that_were_taken_from_another_project
    shared = { certain: false, evidence: :asking, healed: ["/two"] }
    edits = Array.new(15) { |n| edit("lib/#{n}.rb", healed_at: ["/two/gems/rack-3.0.0/lib/#{n}.rb"], **shared) }
    assert_equal [["rack-3.0.0: 15 files (lib/0.rb, lib/1.rb, lib/2.rb and 12 more) were changed in place, cannot " \
                   "tell where; the edits stay, /two and the store have the package's files again; " \
                   "copies of the edits are in /s/edits/T-rack-3.0.0",
                   "made in /two? `spate edit rack` there, " \
                   "then `cp -r /s/edits/T-rack-3.0.0/. /two/gems/rack-3.0.0/`"]], told(*edits)
    healed = edits.map { |edit| edit.dup.tap { |copy| copy.kind = :healed } }
    assert_equal [["rack-3.0.0: 15 files (lib/0.rb, lib/1.rb, lib/2.rb and 12 more) were changed in place, cannot " \
                   "tell where; /one keeps the edits, this bundle has the package's files again; " \
                   "copies of the edits are in /s/edits/T-rack-3.0.0",
                   "made here? `spate edit rack`, then `cp -r /s/edits/T-rack-3.0.0/. /two/gems/rack-3.0.0/`"]],
                 told(*healed)
  end

  def test_modes
    assert_equal [["rack-3.0.0: the mode of lib/0.rb was changed in place; " \
                   "the edit stays (/one/gems/rack-3.0.0/lib/0.rb), the store is healed",
                   "`spate edit rack` gives this bundle files of its own, for editing"]],
                 told(*many(1, mode_only: true))
    all = many(30, mode_only: true) + many(12, mode_only: true, name: "rake-1.0")
    assert_equal [["the modes of 42 files in 2 gems were changed in place; the edits stay, the store is healed",
                   "`spate install --copy` gives a bundle files of its own"]], told(*all)
    shared = all.map.with_index { |edit, n| edit.dup.tap { |copy| copy.healed = ["/two", "/n#{n % 4}"] } }
    assert_equal ["the modes of 42 files in 2 gems were changed in place; the edits stay, /two, /n0, /n1, 2 more " \
                  "and the store have the packages' files again"], told(*shared).map(&:first)
    later = all.map { |edit| edit.dup.tap { |copy| copy.kind = :replaced } }
    assert_equal [["the modes of 42 files in 2 gems were changed",
                   "`bundle pristine` brings the packages' modes back"]], told(*later)
  end

  # What differs in more than its place is told apart.
  def test_what_cannot_be_healed
    denied = Array.new(11) { |n| edit("lib/#{n}.rb", saved_at: nil, unhealed: { "/s/objects/#{n}" => "read-only" }) }
    assert_match(/were changed in place.*not healed: read-only/, told(*denied).fetch(0).first)
    assert_equal 2, told(*many(11), *denied).size
  end

  def test_verbose_names_each
    lines = [false, true].map do |verbose|
      err = StringIO.new
      terminal = Spate::CLI::Terminal.new(out: StringIO.new, err: err, env: {})
      terminal.verbose = verbose
      Spate::CLI::Edited.tell(many(12), terminal, nil)
      err.string.lines.grep(/^warning/).size
    end
    assert_equal [1, 12], lines
  end

  def test_events_are_told_alike
    facts = many(11).map { |edit| { event: :edited, **edit.to_h } }
    assert_equal told(*many(11)), Spate::CLI::Edited.group(facts).map { |edited| [edited.message, edited.hint] }
  end
end
