# frozen_string_literal: true

require "install/team/team_case"

# Compile caches of one machine are used on others whose bundle has the same path, such as containers and CI jobs.
class TeamCompileCachesTest < TeamCase
  def setup
    super
    @source.add("alpha", "1.0", files: { "lib/alpha.rb" => "ALPHA = 1\n", "lib/alpha/more.rb" => "MORE = 2\n" })
    @project = machine("same", "alpha")
    assert_equal [2, 0], made("one")
    @compile_cache = push_from("one").find { |event| event["kind"] == "compile_cache" }
  end

  def test_a_machine_with_the_bundle_at_the_same_place_compiles_nothing
    assert_equal ["of 1 gem", "sent"], @compile_cache.values_at("name", "state")

    assert_equal [0, 2], made("two")
    assert_equal 1, events(@project.spate!("cache", "status", "--json", **home("two"))).last["compile_caches"]
    assert_empty push_from("two").select { |event| event["kind"] == "compile_cache" }, "not compiled by this machine"
    assert_equal [2, 0], rebuilt("two", SPATE_CACHE_KEYS: ""), "not kept without a trusted signer"
    assert_equal [0, 0], rebuilt("two"), "now compiled by this machine"
    assert_equal "1 2", boot("two")
  end

  # The compile caches are removed even if background work is disabled, as in CI.
  def test_noop_install_removes_compile_caches_of_a_signer_that_is_no_longer_trusted
    assert_equal [0, 2], made("two")
    assert_match(/nothing to do/, run_install(@project, **home("two")).first)
    refute_empty compile_caches = Dir.glob("#{folder}/two/spate/store/v1/compile-cache/*/boots/*.compiled")
    assert_match(/nothing to do/, run_install(@project, **home("two"), SPATE_CACHE_KEYS: "", CI: "1").first)
    assert_empty compile_caches.select { |path| File.exist?(path) }
    assert_equal "1 2", boot("two")
  end

  def test_edited_file_of_a_gem_is_compiled_here
    edited = "#{@project.bundle_root}/gems/alpha-1.0/lib/alpha.rb"
    File.unlink(edited)
    File.write(edited, "ALPHA = 'mine'\n")
    assert_equal [1, 1], compile_caches("one", SPATE_CACHE: "off")
    assert_empty push_from("one").select { |event| event["kind"] == "compile_cache" }
  end

  def test_compile_caches_that_do_not_fit_are_compiled
    @project.spate!("install", **home("two"), SPATE_CACHE_KEYS: "")
    assert_equal [2, 0], compile_caches("two", SPATE_CACHE_KEYS: ""), "of an unknown signer"
    edited = "#{@project.bundle_root}/gems/alpha-1.0/lib/alpha.rb"
    File.unlink(edited)
    File.write(edited, "ALPHA = 3\n")
    assert_equal [1, 1], compile_caches("three"), "other content"
    assert_equal "3 2", boot("three")
    damage(Dir.glob("#{@cache}/cas/*").find { |path| File.size(path) == @compile_cache["bytes"] })
    assert_equal [2, 0], compile_caches("four"), "a blob that was changed"
  end

  def test_links_are_not_followed_when_writing
    File.symlink(victim = write("victim", "precious\n"),
                 "#{FileUtils.mkdir_p("#{folder}/two/spate/store/v1/compile-cache").first}/.others")
    assert_equal [2, 0], made("two")
    assert_equal "precious\n", File.read(victim)
  end

  private

  def home(name) = { SPATE_HOME: "#{folder}/#{name}/spate" }

  # Installs on a new machine. Returns [number of compiled files, number of copied files].
  def made(name)
    FileUtils.rm_rf(@project.path("vendor"))
    compile_caches(name)
  end

  def compile_caches(name, **env)
    install(@project, "--compile-cache", "wait", **home(name), **env)
    @events.find { |event| event["event"] == "compile_cache" }.values_at("compiled", "copied")
  end

  # Changes one byte.
  def damage(path)
    bytes = File.binread(path)
    bytes.setbyte(bytes.bytesize / 2, bytes.getbyte(bytes.bytesize / 2) ^ 1)
    File.binwrite(path, bytes)
  end

  def rebuilt(name, **env)
    events(@project.spate!("boot", "build", "--json", **home(name), **env)).last.values_at("compiled", "copied")
  end

  def push_from(name)
    events(@project.spate!("cache", "push", "--json", SPATE_CACHE_KEY: @key.to_pem, **home(name)))
  end

  def boot(name)
    @project.spate!("exec", "ruby", "-e", "require 'alpha'; require 'alpha/more'; print ALPHA, ' ', MORE", **home(name))
  end
end
