# frozen_string_literal: true

require "install/team/team_case"

# What one machine compiled to boot from, for others whose bundle lies at the same place: a container, a job of CI.
class TeamImagesTest < TeamCase
  def setup
    super
    @source.add("alpha", "1.0", files: { "lib/alpha.rb" => "ALPHA = 1\n", "lib/alpha/more.rb" => "MORE = 2\n" })
    @project = machine("same", "alpha")
    assert_equal [2, 0], made("one")
    @sent = push_from("one")
  end

  def test_a_machine_with_the_bundle_at_the_same_place_compiles_nothing
    image = @sent.find { |event| event["kind"] == "image" }
    assert_equal ["of 1 gems", "sent"], image.values_at("name", "state")
    assert_equal "there", push_from("one").find { |event| event["kind"] == "image" }["state"]

    assert_equal [0, 2], made("two")
    assert_equal 1, events(@project.spate!("cache", "status", "--json", **home("two"))).last["images"]
    assert_empty push_from("two").select { |event| event["kind"] == "image" }, "it is not its own"
    assert_equal [2, 0], rebuilt("two", SPATE_CACHE_KEYS: ""), "nothing of it stays for who trusts nobody"
    assert_equal [0, 0], rebuilt("two"), "by now its own"
    assert_equal "1 2", boot("two")
  end

  def test_what_does_not_fit_is_compiled
    assert_equal [2, 0], made("stranger", SPATE_CACHE_KEYS: "")
    assert_equal [2, 0], made("alone", options: ["--local"], first: true)
    another = made("edited") { File.write(@project.path("Gemfile"), "# another\n", mode: "a") }
    assert_equal [2, 0], another, "for another Gemfile"
  end

  def test_only_files_with_the_same_content
    FileUtils.rm_rf(@project.path("vendor"))
    install(@project, **home("two"))
    edited = "#{@project.bundle_root}/gems/alpha-1.0/lib/alpha.rb"
    File.unlink(edited)
    File.write(edited, "ALPHA = 3\n")
    assert_equal [1, 1], images("two")
    assert_equal "3 2", boot("two")
  end

  def test_a_blob_that_was_changed_is_none
    blob = Dir.glob("#{@cache}/cas/*").find { |path| File.binread(path, 4) == Spate::RemoteCache::Pack::ZSTD }
    skip "no zstd here" unless blob
    bytes = File.binread(blob)
    File.binwrite(blob, bytes.tap { |text| text.setbyte(text.bytesize / 2, text.getbyte(text.bytesize / 2) ^ 1) })
    assert_equal [2, 0], made("two")
    assert_equal "1 2", boot("two")
  end

  private

  def home(name) = { SPATE_HOME: "#{folder}/#{name}/spate" }

  # [files compiled, files copied] of an install on a machine that has nothing.
  def made(name, options: [], first: false, **env)
    FileUtils.rm_rf(@project.path("vendor"))
    install(@project, **home(name)) if first
    FileUtils.rm_rf(@project.path("vendor"))
    yield if block_given?
    images(name, *options, **env)
  end

  def images(name, *options, **env)
    install(@project, "--boot-images", "wait", *options, **home(name), **env)
    @events.find { |event| event["event"] == "boot_images" }.values_at("compiled", "copied")
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
