# frozen_string_literal: true

require "test_helper"
require "support/boot_project"

module Spate
  # Boots with non-ASCII paths in an ASCII locale, which most containers have.
  class LocaleTest < Minitest::Test
    PLAIN = { "LC_ALL" => "C" }.freeze

    def setup
      @project = BootProject.new(File.join(folder, "sp ace é"), home: File.join(folder, "hö me"))
      @project.add_gem("alpha", "1.0", { "lib/alpha.rb" => "ALPHA = 1\n" })
      @project.write("Gemfile", "source '#{BootProject::SOURCE}'\ngem 'alpha'\n")
      @project.write("Gemfile.lock", <<~LOCK)
        GEM
          remote: #{BootProject::SOURCE}/
          specs:
            alpha (1.0)

        PLATFORMS
          ruby

        DEPENDENCIES
          alpha
      LOCK
      @project.write("main.rb", <<~RUBY)
        require "bundler/setup"
        require "alpha"
        require_relative "own"
        load ENV["BOOT_PROBE"]
      RUBY
      @project.write("own.rb", "OWN = 1\n")
    end

    def boot(*words) = @project.run(*BootProject::SPATE, "boot", *words, **PLAIN)

    def test_compile_caches_are_made_and_reported
      result = @project.warm(**PLAIN)

      assert_operator result.hits, :>=, 2, result.to_s
      assert_equal "", result.err
      2.times { assert_equal 0, boot("build").code }
      explained = boot("explain", "alpha")

      assert_match(%r{^alpha: .*/lib/alpha\.rb\n.*^  file +}m, explained.out.b, explained.err)
    end
  end
end
