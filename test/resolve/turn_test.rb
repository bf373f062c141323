# frozen_string_literal: true

require "resolve/resolve_case"

# Commands that change the same Gemfile take turns, also after one of them has replaced the Gemfile.
class TurnTest < ResolveCase
  def setup
    super
    %w[base leaf more new].each { |name| source.add(name, "1.0") }
    @app = project("app", "source '#{source.url}'\ngem 'base'\ngem 'leaf'\n")
    @app.lock
  end

  # `remove` replaces the Gemfile, and then resolves the lockfile.
  def test_a_command_that_starts_between_both_writes_waits
    File.write(@app.path("Gemfile"), "gem 'new'\n", mode: "a") # has to be resolved
    held = true
    source.forget_requests
    source.fault(/./, :delay, until: -> { !held })
    removing = Thread.new { @app.spate("remove", "leaf", "--skip-install") }
    Thread.pass until source.requests.any? || !removing.alive?
    refute_match(/leaf/, File.read(@app.path("Gemfile")))
    adding = start("add", "more", "--skip-install")
    assert_match(/^waiting: another process is changing a Gemfile in /, adding.gets)
    held = false
    adding.read

    assert_predicate removing.value.last, :success?, removing.value.first
    assert_equal %w[base more new], names
  ensure
    held = false
  end

  def test_a_merge_waits
    Spate::Resolve::Turn.take(@app.path("Gemfile")) do
      @merging = start("lock", "--merge", "Gemfile.lock", "Gemfile.lock", "Gemfile.lock")
      assert_match(/^waiting: another process is changing a Gemfile in /, @merging.gets)
    end
    assert_empty @merging.read
  end

  def test_a_linked_gemfile_is_locked_in_its_own_folder
    File.symlink(@app.path("Gemfile"), "#{folder}/Gemfile")
    waited = false
    Spate::Resolve::Turn.take(@app.path("Gemfile")) do
      other = Thread.new { Spate::Resolve::Turn.take("#{folder}/Gemfile", waiting: -> { waited = true }) { :turn } }
      Thread.pass until waited || !other.alive?
    end
    assert waited
  end

  # Installing the packages of a package.json locks the same folder.
  def test_a_script_of_a_package_does_not_wait_for_its_install
    File.write(@app.path("Gemfile"), "gem 'new'\n", mode: "a")
    Spate::Install::BundleFolder.lock(@app.folder) do
      variables = Spate::Install::FolderLock.variables(File.realpath(@app.folder), {})
      @app.run!("timeout", "60", *Spate::SpateCommand.words, "lock", **variables.transform_keys(&:to_sym))
    end
    assert_equal %w[base leaf new], names
  end

  private

  def names = Spate::Lockfile.parse(File.read(@app.path("Gemfile.lock"))).specs.map(&:name).sort

  def start(*words)
    IO.popen([@app.env, *Spate::SpateCommand.words, *words, { chdir: @app.folder, err: %i[child out] }])
  end
end
