# frozen_string_literal: true

require "test_helper"
require "open3"
require "rubygems/package"
require "support/compiled_files"
require_relative "../../rakelib/bill_of_materials"
require_relative "../../rakelib/precompiled"
require_relative "../../rakelib/strict_build"

# `rake package` builds the gems without unexpected warnings.
class PackageTest < Minitest::Test
  ROOT = File.expand_path("../..", __dir__)
  # This file is compiled only without OpenSSL.
  STAND_IN = %r{/tls/missing\.c\z}

  def test_the_gems_are_built
    command = [RbConfig.ruby, "-S", "rake", "package[#{folder}]"]
    output, status = Open3.capture2e({ "RUBYOPT" => nil }, *command, chdir: ROOT)
    assert_predicate status, :success?, output

    { "spate-bytes" => "bytes/", "spate" => "", "spate-server" => "server/",
      "spate-js" => "js/" }.each do |name, place|
      specification = Gem::Package.new(File.join(folder, "#{name}-#{Spate::VERSION}.gem")).spec
      assert_equal [name, ["MIT"]], [specification.name, specification.licenses]
      assert_empty %w[README.md CHANGELOG.md LICENSE.txt].map { |file| place + file } - specification.files, name
      assert_equal compiled(specification.extensions), specification.files.grep(/\.[ch]\z/).grep_v(STAND_IN).sort, name
    end
  end

  def test_a_commit_gives_the_same_bytes_at_any_time
    first = build("spate-js", "first")
    second = Process.clock_gettime(Process::CLOCK_REALTIME, :second)
    sleep 0.01 until Process.clock_gettime(Process::CLOCK_REALTIME, :second) > second
    assert FileUtils.identical?(first, build("spate-js", "second"))
  end

  def test_bill_of_materials
    gems = %w[spate-bytes spate-server].map { |name| build(name, "pkg") }
    bill = BillOfMaterials.new(gems)
    assert_equal Open3.capture2("sha256sum", *gems.map { |path| File.basename(path) }, chdir: "#{folder}/pkg").first,
                 bill.checksums

    listed = JSON.parse(bill.to_json)
    names = listed["components"].map { |found| found["name"] }
    assert_equal %w[spate-bytes spate-server zlib libdeflate openssl], names
    assert_equal [["Zlib"], ["MIT"]], (listed["components"].values_at(2, 0).map do |found|
      found["licenses"].map { |licence| licence["license"]["id"] }
    end)
    assert_equal ["spate-bytes@#{Spate::VERSION}", "library:openssl"], listed["dependencies"].last["dependsOn"]
    references = listed["components"].map { |found| found["bom-ref"] }
    assert_empty listed["dependencies"].flat_map { |found| [found["ref"], *found["dependsOn"]] } - references
  end

  def test_bill_of_materials_distinguishes_platforms
    gems = [build("spate-bytes", "pkg"), precompiled("spate-bytes"), precompiled("spate-server")]
    listed = JSON.parse(BillOfMaterials.new(gems).to_json)
    source = "spate-bytes@#{Spate::VERSION}"

    assert_equal [source, "#{source}?platform=x86_64-linux-gnu"],
                 listed["components"].first(2).map { |found| found["bom-ref"] }
    assert_equal ["#{source}?platform=x86_64-linux-gnu", "library:openssl"], listed["dependencies"].last["dependsOn"]
  end

  # Without its file, a library of a precompiled gem is not there for this Ruby.
  def test_precompiled_gem_for_other_rubies
    gem = precompiled("spate-bytes", abi: "9.9")
    specification = Gem::Package.new(gem).spec
    assert_equal ["x86_64-linux-gnu", ">= 9.9, < 9.10.dev", []],
                 [specification.original_platform, specification.required_ruby_version.as_list.join(", "),
                  specification.extensions]
    Gem::Package.new(gem).extract_files("#{folder}/unpacked")
    said, status = Open3.capture2e(RbConfig.ruby, "-I#{folder}/unpacked/bytes/lib", "-e", "require 'spate/zlib'")

    refute_predicate status, :success?
    assert_match(%r{spate/native/zlib is compiled for Ruby 9\.9, not for #{RUBY_VERSION} \(LoadError\)$}, said)
    assert_match(/^hint: gem uninstall spate-bytes, then gem install spate-bytes --platform ruby/, said)
    assert_match(/^Copyright 2016, 2018 Eric Biggers$/, File.read("#{folder}/unpacked/NOTICE.txt"))
  end

  def test_the_licence_is_the_same
    %w[bytes js server].each do |product|
      assert_equal File.read("#{ROOT}/LICENSE.txt"), File.read("#{ROOT}/#{product}/LICENSE.txt")
    end
  end

  def test_any_other_warning_refuses_the_gem
    gemspec = write("bad/bad.gemspec", <<~RUBY)
      Gem::Specification.new("bad", "1.0") do |spec|
        spec.summary = spec.description = "bad"
        spec.authors = ["nobody"]
        spec.files = []
      end
    RUBY
    error = assert_raises(StrictBuild::Refused) { StrictBuild.new(gemspec, "#{folder}/pkg").call("1.0") }

    assert_match(/licenses? is empty/, error.message)
    refute_match(/homepage/, error.message)
    assert_empty Dir.children("#{folder}/pkg")
  end

  private

  def build(name, place) = StrictBuild.new("#{ROOT}/#{name}.gemspec", "#{folder}/#{place}").call(Spate::VERSION)

  # Builds a gem with empty libraries. Returns its path.
  def precompiled(name, abi: "3.1")
    natives = "#{folder}/natives-#{name}"
    facts = { abi: abi, platform: "x86_64-linux-gnu", libdeflate: "1.0" }
    write("natives-#{name}/tmp/native.json", JSON.generate(facts))
    write("natives-#{name}/#{NativeFiles::FOLDERS.fetch(name)}/zlib.so", "")
    PrecompiledGem.new(ROOT, name, [NativeFiles.new(natives, "here")]).build("#{folder}/pkg")
  end

  # The compiled files of all extensions, relative to ROOT.
  def compiled(extensions)
    paths = extensions.flat_map do |extconf|
      CompiledFiles.new("#{ROOT}/#{extconf}", Dir.mktmpdir("made", folder)).paths
    end
    paths.uniq.map { |path| path.delete_prefix("#{ROOT}/") }.sort
  end
end
