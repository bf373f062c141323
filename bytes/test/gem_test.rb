# frozen_string_literal: true

require "test_helper"
require "open3"
require "rubygems/package"
require "support/hasty_compiler"

module Spate
  # Builds the gem and installs it into an empty GEM_HOME, as a user would.
  class BytesGemTest < Minitest::Test
    ROOT = File.expand_path("../..", __dir__)
    PROGRAM = "require 'spate/bytes'; require 'spate/zlib'; " \
              "print Spate::Zlib.inflate(Spate::Zlib.deflate('x')), Spate::Uint8Array.new(3).length, " \
              "File.exist?(\"\#{Spate::BYTES_INCLUDE}/spate/bytes.h\")"

    def test_installed_gem_works_alone
      gem = "#{folder}/spate-bytes.gem"
      run_in(ROOT, "-S", "gem", "build", "spate-bytes.gemspec", "--output", gem)
      run_in(folder, "-S", "gem", "install", "--local", "--no-document", gem)

      assert_equal "x3true", run_in(folder, "-e", PROGRAM)
      check(Gem::Package.new(gem))
    end

    private

    def check(package)
      names = package.contents
      %w[bytes/lib/spate/bytes.rb bytes/ext/zlib/extconf.rb bytes/README.md].each { |name| assert_includes names, name }
      assert_empty names.grep(%r{/(test|benchmark|fuzz|tmp)/|\.(so|o)\z})
      assert_empty names.grep(%r{\Acore/}).grep_v(%r{\Acore/shared/})
      assert_empty package.spec.runtime_dependencies
    end

    def run_in(dir, *words)
      env = { "GEM_HOME" => "#{folder}/gems", "GEM_PATH" => "#{folder}/gems", "HOME" => folder, "RUBYOPT" => nil,
              "RUBYLIB" => nil, "MAKEFLAGS" => "-j2", "PATH" => HastyCompiler.path("#{folder}/hasty") }
      output, status = Open3.capture2e(env, RbConfig.ruby, *words, chdir: dir, stdin_data: "")
      assert_predicate status, :success?, output
      output
    end
  end
end
