# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require "spate/boot/entry"

module Spate
  # Which lines of config/application.rb a framework parent runs.
  class BootWarmParentPrologueTest < Minitest::Test
    LINES = <<~'RUBY'.lines(chomp: true).freeze
      # frozen_string_literal: true

      require_relative "boot"
      require_relative 'boot' # comment
      require File.expand_path('../boot', __FILE__)
      require File.expand_path("boot", __dir__)
      require "rails"
      require 'action_view/railtie'
      # require "rails/test_unit/railtie"
      Bundler.require
      Bundler.require(*Rails.groups)
      Bundler.require(*Rails.groups(assets: %w[development test])) # comment
      Bundler.require(*Rails.groups(:assets => ["development", 'test']))
    RUBY
    OTHERS = <<~'RUBY'.lines(chomp: true).freeze
      module Blog
      ENV["A"] ||= "1"
      require_relative "../lib/blog"
      require "#{ENV["A"]}"
      require "rails" if ENV["A"]
      require "rails"; ENV["A"] = "1"
      Bundler.require(*Rails.groups) if defined?(Bundler)
      Bundler.require(*Rails.groups(assets: %w[a])); exit
      Bundler.require(*Rails.groups(assets: exit(1)))
      Bundler.require(*Rails.groups(
      Bundler.require(:default, Rails.env)
      %w[rails].each { |name| require name }
      =begin
    RUBY

    def prologue(text) = Boot::WarmParent::Prologue.of(text)

    def test_lines_that_may_run_twice
      LINES.each { |line| assert_equal "#{line}\n", prologue("#{line}\n"), line }
      assert_equal LINES.join("\n"), prologue(LINES.join("\n"))
    end

    def test_other_lines_end_it
      OTHERS.each { |line| assert_equal "require 'a'\n", prologue("require 'a'\n#{line}\nrequire 'b'\n"), line }
    end

    def test_run
      Dir.mktmpdir do |folder|
        Dir.mkdir("#{folder}/config")
        run = lambda do |name, text|
          File.write("#{folder}/config/#{name}.rb", text)
          Boot::WarmParent::Prologue.run(folder)
        end
        File.write("#{folder}/config/application.rb", "require 'rails'\nmodule Blog\n")
        ["ENV['A'] = '1'\nrequire_relative 'application'\n", ""].each do |text|
          assert_match(/environment\.rb does not load/, assert_raises(LoadError) { run["environment", text] }.message)
        end
        error = assert_raises(LoadError) { run["environment", "# Load\n\nrequire_relative \"application\"\n"] }

        assert_match(/does not begin with lines that load the bundle/, error.message)
      end
    end
  end
end
