# frozen_string_literal: true

require "test_helper"
require "open3"
require "rubygems/package"
require "support/compiled_files"
require_relative "../../rakelib/strict_build"

# `rake package` builds the gems without unexpected warnings.
class PackageTest < Minitest::Test
  ROOT = File.expand_path("../..", __dir__)
  # Compiled only if OpenSSL is missing.
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

  # Below ROOT, of all the extensions.
  def compiled(extensions)
    paths = extensions.flat_map do |extconf|
      CompiledFiles.new("#{ROOT}/#{extconf}", Dir.mktmpdir("made", folder)).paths
    end
    paths.uniq.map { |path| path.delete_prefix("#{ROOT}/") }.sort
  end
end
