# frozen_string_literal: true

require "test_helper"

module Spate
  module Build
    class StandaloneTest < Minitest::Test
      MAKE = "create_makefile('a/a')\n"

      # The files of a folder, with the interface of PackageFiles.
      Folder = Struct.new(:folder) do
        def paths = Dir.glob("**/*", File::FNM_DOTMATCH, base: folder).sort

        def read(path)
          path = File.join(folder, path)
          File.binread(path) if File.file?(path) && File.size(path) <= Schedule::PackageFiles::LARGEST
        end
      end

      PLAIN = {
        "mkmf alone" => "require 'mkmf'\n#{MAKE}",
        "parentheses, rb, conditions" => "require('mkmf.rb')\nrequire \"etc\" if true\nrequire 'rbconfig'; #{MAKE}",
        "nested names" => "require 'digest/sha2'\n",
        "versions, platforms" => "abort if Gem::Version.new(RUBY_VERSION) < Gem::Version.new('2')\nGem.win_platform?",
        "a comment" => "# require 'base' with Gem.loaded_specs\nrequire 'mkmf'\n",
        "its own files" => "require 'mkmf'\nrequire_relative '../../lib/a/version'\nrequire_relative './more.rb'\n"
      }.freeze

      NEEDY = {
        "a gem" => "require 'base'\n",
        "a gem, tried" => "begin\n  require 'base'\nrescue LoadError\nend\n",
        "rake" => "require 'rake'\n",
        "no literal" => "name = 'base'\nrequire name\n",
        "built from parts" => "require \"ba\#{1}\"\n",
        "a path" => "require File.expand_path('x', __dir__)\n",
        "activation" => "gem 'base'\nrequire 'mkmf'\n",
        "a specification" => "puts Gem::Specification.find_by_name('base').gem_dir\n",
        "loaded specifications" => "Gem.loaded_specs['base']\n",
        "the load path" => "$LOAD_PATH.each { |path| puts path }\n",
        "its short name" => "$:.each { |path| puts path }\n",
        "another Ruby" => "system(RbConfig.ruby, '-rbase', '-e1')\n",
        "a file of its own that needs one" => "require_relative 'needy'\n",
        "a file beside the gem" => "require_relative '../../../b/lib/b'\n",
        "a file that is not there" => "require_relative 'nowhere'\n",
        "a dependency that Ruby has as well" => "require 'json'\n",
        "a part of one" => "require 'io/console'\n",
        "evaluation" => "eval File.read('x')\n"
      }.freeze

      PLAIN.each do |name, text|
        define_method("test_plain_#{name.tr(" ", "_")}") { assert_predicate standalone(text), :standalone? }
      end

      NEEDY.each do |name, text|
        define_method("test_needy_#{name.tr(" ", "_")}") { refute_predicate standalone(text), :standalone? }
      end

      def test_gems_without_extconf_are_not_standalone
        %w[Rakefile ext/a/Cargo.toml ext/a/CMakeLists.txt configure ext/a/mkrf_conf.rb].each do |path|
          refute_predicate standalone(PLAIN.values.first, extensions: [path], more: { path => "" }), :standalone?, path
        end
        refute_predicate standalone("", extensions: ["ext/gone/extconf.rb"]), :standalone?
      end

      def test_all_extensions_are_checked
        both = %w[ext/a/extconf.rb ext/b/extconf.rb]
        assert_predicate standalone("", extensions: both, more: { "ext/b/extconf.rb" => "" }), :standalone?
        refute_predicate standalone("", extensions: both, more: { "ext/b/extconf.rb" => "require 'b'" }), :standalone?
      end

      def test_rules_that_run_ruby
        { "a.o: $(hdrdir)/ruby.h\n\t$(CC) -c a.c\n" => true, "a.c: a.y\n\t$(RUBY) make.rb\n" => false,
          "a.c: a.y\n\tracc a.y\n" => false }.each do |rules, expected|
          assert_equal expected, standalone("", more: { "ext/a/depend" => rules }).standalone?, rules
        end
      end

      private

      def standalone(text, extensions: ["ext/a/extconf.rb"], more: {})
        files = { "ext/a/extconf.rb" => text, "ext/a/needy.rb" => "require 'base'\n", "ext/a/more.rb" => "MORE = 1\n",
                  "lib/a/version.rb" => "VERSION = '1'\n", "../b/lib/b.rb" => "B = 1\n" }.merge(more)
        files.each { |path, content| write("a/#{path}", content) }
        Schedule::Standalone.new(Folder.new(File.join(folder, "a")), extensions, %w[base json io-console])
      end
    end
  end
end
