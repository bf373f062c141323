# frozen_string_literal: true

require "cli/cli_case"

# EditedFiles summarizes the files that differ from their packages in a few warnings with hints.
class EditedFilesTest < CLICase
  Edit = Spate::Store::Edits::Edit

  def edit(path, name: "rack-3.0.0", kind: :changed, **facts)
    Edit.new(kind: kind, name: name, path: path, file: "/one/gems/#{name}/#{path}", **facts)
  end

  def told(*edits)
    Spate::CLI::Output::EditedFiles.group(edits).map { |edited| [edited.message, edited.hint] }
  end

  def many(count, **facts) = Array.new(count) { |number| edit("lib/#{number}.rb", **facts) }

  def test_few_files_are_listed_one_by_one
    assert_equal [["rack-3.0.0: lib/0.rb was changed", "`spate restore rack` restores the package's file"]],
                 told(*many(1))
    assert_equal [["rack-3.0.0: lib/0.rb was changed in place, and is shared with 1 other project",
                   "`spate install` keeps it in this bundle only, `spate restore rack` restores the package's file"]],
                 told(*many(1, links: 3, projects: 1))
    assert_equal 10, told(*many(10)).size
  end

  def test_many_files_of_a_gem_are_one_line
    assert_equal [["rack-3.0.0: 11 files (lib/0.rb, lib/1.rb, lib/2.rb and 8 more) were changed in place, " \
                   "and are shared with 2 other projects and 1 more name unknown to the store",
                   "`spate install` keeps them in this bundle only, " \
                   "`spate restore rack` restores the package's files"]],
                 told(*many(11, links: 5, projects: 2, unknown_links: 1))
    assert_equal ["rack-3.0.0: 11 files (lib/0.rb, lib/1.rb, lib/2.rb and 8 more) are missing",
                  "rake-1.0: lib/0.rb is missing"],
                 told(*many(11, kind: :missing), *many(1, kind: :missing, name: "rake-1.0")).map(&:first)
  end

  def test_action_of_an_install_is_reported
    assert_equal [["rack-3.0.0: lib/0.rb was changed in place, and is shared with 1 other project; " \
                   "it is kept with the change, as a separate file of this bundle",
                   "`spate restore rack` restores the package's file"]],
                 told(*many(1, links: 3, projects: 1, settled: :parted))
    assert_equal [["rack-3.0.0: lib/0.rb was missing, now restored", nil]],
                 told(*many(1, kind: :missing, settled: :restored))
    assert_equal [["rack-3.0.0: lib/0.rb is missing; Read-only file system",
                   "`spate restore rack` restores the package's file"]],
                 told(*many(1, kind: :missing, reason: "Read-only file system"))
  end

  def test_modes_and_owners
    assert_equal [["rack-3.0.0: the mode of lib/0.rb was changed",
                   "`spate restore rack` restores the package's file"]], told(*many(1, mode_only: true))
    all = many(30, mode_only: true) + many(12, mode_only: true, name: "rake-1.0")
    assert_equal [["the modes of 42 files in 2 gems were changed",
                   "`spate restore --all` restores the packages' files"]], told(*all)
    assert_equal ["rack-3.0.0: lib/0.rb is owned by user 33, and is shared with 1 other project"],
                 told(*many(1, mode_only: true, links: 3, projects: 1, owner: 33)).map(&:first)
  end

  def test_verbose_names_each
    lines = [false, true].map do |verbose|
      err = StringIO.new
      terminal = Spate::Util::Terminal.new(out: StringIO.new, err: err, env: {})
      terminal.verbose = verbose
      Spate::CLI::Output::EditedFiles.print(many(12), terminal)
      err.string.lines.grep(/^warning/).size
    end
    assert_equal [1, 12], lines
  end

  def test_events_have_the_same_texts
    facts = many(11).map { |edit| { event: :edited, **edit.to_h } }
    groups = Spate::CLI::Output::EditedFiles.group(facts)

    assert_equal(told(*many(11)), groups.map { |edited| [edited.message, edited.hint] })
    refute_includes facts.first, :entry
  end
end
