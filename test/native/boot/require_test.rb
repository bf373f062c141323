# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"

# Runs each script twice in the same folders: in plain Ruby and with the Requirer. The output must be the same.
class RequireTest < Minitest::Test
  LIBRARY = File.expand_path("../../../lib", __dir__)
  NATIVE = $LOAD_PATH.map { |path| File.join(path, "spate/native/boot.#{RbConfig::CONFIG["DLEXT"]}") }
                     .find { |path| File.exist?(path) }

  # Loads Spate by its absolute path and removes it from $LOADED_FEATURES, so that everything else is equal.
  PRELUDE = <<~RUBY.freeze
    $VERBOSE = nil
    if ENV["WITH"]
      require #{NATIVE.dump}
      Spate::Native::Requirer.install(Spate::Native::LoadPathCache.build($LOAD_PATH.select { |path| path.start_with?("/") }, 99))
    end
    def features = $LOADED_FEATURES.select { |path| path.start_with?(Dir.pwd) || !path.start_with?("/") }
    def report(name = nil)
      print name, " " if name
      p yield
    rescue Exception => error
      p [error.class, error.message, error.message.encoding, error.respond_to?(:path) && error.path, error.backtrace]
    end
  RUBY

  def setup
    @folder = File.realpath(folder)
    %w[one two three].each { |name| FileUtils.mkdir_p(File.join(@folder, name)) }
  end

  # Returns the output, which must be the same in both runs.
  def same(script, roots: %w[one two three], ruby: ["--disable-gems"], warnings: false)
    write("script.rb", script)
    plain, with = [{}, { "WITH" => "1" }].map do |switch|
      options = roots.map { |root| "-I#{File.join(@folder, root)}" } + ["-r./prelude.rb"]
      out, err, status = Open3.capture3(switch, RbConfig.ruby, *ruby, *options, "script.rb", chdir: @folder)
      assert_predicate status, :success?, err
      [out.b.gsub(/0x\h+/n, "0x"), err]
    end
    assert_equal plain, with
    assert_empty with.last unless warnings
    with.first
  end

  def write(path, content)
    super("prelude.rb", PRELUDE)
    super
  end

  def test_features_in_every_spelling
    write("one/a.rb", "puts __FILE__, __dir__")
    write("two/a.rb", "puts :shadowed")
    write("two/b/c.rb", "puts :c")
    write("two/d.e.rb", "puts :de")
    write("three/é.rb", "puts :accent")
    out = same(<<~'RUBY')
      %w[a a.rb b/c b/c.rb b//c ./two/b/c.rb d.e d.e.rb é nowhere b/nowhere.rb a.so a.o two/../b/c b/ ../x].each do |name|
        report(name) { require name }
      end
      report { Kernel.require "a" }
      report { require Struct.new(:to_path).new("b/c") }
      report { require nil }
      report { require "a\0b" }
      report { require "a".encode("UTF-16LE") }
      report { Class.new(String).new("b/c").then { |name| require name } }
      p features, features.map(&:encoding)
    RUBY
    assert_includes out, "cannot load such file -- nowhere"
  end

  def test_symlinked_roots_and_folders
    write("real/a.rb", "puts __FILE__")
    write("real/sub/b.rb", "puts __FILE__")
    File.symlink("real", File.join(@folder, "link"))
    File.symlink("../real/sub", File.join(@folder, "one/through"))
    File.symlink("../real/a.rb", File.join(@folder, "two/alias.rb"))
    File.symlink("nowhere.rb", File.join(@folder, "one/dangling.rb"))
    write("two/dangling.rb", "puts :behind")
    same(<<~RUBY, roots: %w[link one two])
      %w[a sub/b through/b alias dangling a].each { |name| report(name) { require name } }
      p features
    RUBY
  end

  def test_a_load_path_that_changes
    write("one/a.rb", "")
    write("two/a.rb", "puts :two")
    write("three/b.rb", "puts :three")
    write("added/b.rb", "puts :added")
    write("added/c.rb", "puts :c")
    same(<<~RUBY)
      report { require "a" }
      $LOAD_PATH.delete(File.expand_path("one"))
      report { require "a" }
      $LOAD_PATH.unshift(File.expand_path("one"))
      report { require "a" }
      report { require "c" }
      $LOAD_PATH.insert(1, "added")
      report { require "c" }
      report { require "b" }
      Dir.chdir("added") { report { require "c" } }
      $LOAD_PATH.replace([Struct.new(:to_path).new(File.expand_path("three"))])
      report { require "b" }
      report { $LOAD_PATH.unshift(+"x"); require "nowhere" }
      report { $LOAD_PATH.first << "y" }
      $LOAD_PATH.unshift(3)
      report { require "b2" }
      $LOAD_PATH.clear
      report { require "a" }
      p features, $LOAD_PATH.size
    RUBY
  end

  # A file that was found may be deleted before it is opened, or be replaced by another user's.
  def test_file_removed_before_it_is_opened
    write("two/a.rb", "puts :two")
    write("one/a.rb", "puts :one")
    same(<<~RUBY)
      require "enumerator"
      report { require "nowhere" }
      File.rename("one/a.rb", "one/z.rb")
      report { require "a" }
      File.rename("one/z.rb", "one/a.rb")
      report { raise "x" rescue require("none/at/all") }
      p features
    RUBY
  end

  def test_files_added_and_removed_while_running
    write("two/a.rb", "puts :a_of_two")
    write("two/b.rb", "puts :b_of_two")
    write("three/b.rb", "puts :b_of_three")
    same(<<~RUBY)
      report { require "late" }
      File.write("one/late.rb", "puts :late")
      report { require "late" }
      report { require "sub/late" }
      Dir.mkdir("one/sub") unless Dir.exist?("one/sub")
      File.write("one/sub/late.rb", "puts :sub_late")
      report { require "sub/late" }
      report { require "a" }
      File.rename("two/b.rb", "two/away.rb")
      report { require "b" }
      File.rename("two/away.rb", "two/b.rb")
      File.delete("one/late.rb", "one/sub/late.rb")
      Dir.rmdir("one/sub")
      p features
    RUBY
  end

  def test_loaded_features_changed_by_the_program
    write("one/a.rb", "puts :a")
    write("one/b.rb", "puts :b")
    same(<<~RUBY)
      $LOADED_FEATURES << "b.rb" << "marked.rb" << "extension.so"
      report { require "b" }
      report { require "marked" }
      report { require "extension" }
      report { require "a" }
      $LOADED_FEATURES.delete_if { |path| path.end_with?("/a.rb") }
      report { require "a" }
      $LOADED_FEATURES.map! { |path| path.sub("one/a", "one/z") }
      report { require "a" }
      report { require "enumerator" }
      report { require "thread" }
      report { [require("etc"), require("etc"), require("etc.so")] }
      p features
    RUBY
  end

  def test_circles_threads_and_errors
    write("one/circle.rb", "require 'round'; puts :circle")
    write("one/round.rb", "require 'circle'; puts :round")
    write("one/slow.rb", "sleep 0.2; SLOW = 1")
    write("one/raises.rb", "raise 'broken'")
    write("one/lacks.rb", "require 'missing/thing'")
    write("one/throws.rb", "throw :out, 5")
    write("one/lazy.rb", "module Lazy; VALUE = 3; end")
    out = same(<<~RUBY, warnings: true)
      report { Array.new(4) { Thread.new { require "slow" } }.map(&:value).tally.sort_by(&:to_s) }
      $VERBOSE = true
      report { require "circle" }
      $VERBOSE = nil
      2.times { report { require "raises" } }
      report { require "lacks" }
      report { catch(:out) { require "throws" } }
      autoload :Lazy, "lazy"
      report { Lazy::VALUE }
      autoload :Gone, "gone/away"
      report { Gone }
      report { $!.inspect }
      p features
    RUBY
    assert_includes out, "[[false, 3], [true, 1]]"
  end

  def test_load
    write("one/a.rb", "puts [__FILE__, self.inspect, Module.nesting].inspect; LOADED = 1 unless defined?(LOADED)")
    write("one/t.rake", "puts :rake")
    write("here.rb", "puts :here")
    same(<<~RUBY)
      report { load "a.rb" }
      report { load "a.rb", true }
      report { load "./here.rb" }
      report { load "here.rb" }
      report { load "t.rake" }
      report { load "nowhere.rb" }
      report { load "a" }
      report { Kernel.load "a.rb" }
      report { load Struct.new(:to_path).new("a.rb") }
      report { load }
      module Wrapper; end
      report { load "a.rb", Wrapper }
      p features
    RUBY
  end

  def test_under_rubygems_and_others_on_top
    write("one/a.rb", "raise 'here'")
    write("one/b.rb", "puts caller.size")
    same(<<~RUBY, ruby: [])
      module Kernel
        alias_method :other_original_require, :require
        def require(path) = other_original_require(path)
      end
      report { require "a" }
      report { require "b" }
      report { require "nowhere/at-all" }
      report { Kernel.require "nowhere/else" }
      report { require "json" }
      Kernel.send(:define_method, :require, Kernel.instance_method(:gem_original_require))
      report { require "a" }
      report { require "nowhere/at-all" }
      p features
    RUBY
  end

  def test_require_uses_the_load_path_cache
    write("one/a.rb", "")
    write("script.rb", <<~RUBY)
      names = %i[hit provided verified_miss unsure]
      count = -> { Spate::Native::Requirer.counts.values_at(*names) }
      taken = lambda do |&block|
        before = count.call
        begin
          block.call
        rescue LoadError
          print "LoadError "
        end
        puts names.zip(count.call, before).reject { |_, now, then_| now == then_ }.map(&:first)
      end
      2.times { taken.call { require "a" } }
      taken.call { require "nowhere" }
      taken.call { require "./one/a" }
    RUBY
    write("one/a.rb", "")
    out, = Open3.capture3({ "WITH" => "1" }, RbConfig.ruby, "--disable-gems", "-I#{@folder}/one", "-r./prelude.rb",
                          "script.rb", chdir: @folder)
    assert_equal %w[hit provided LoadError verified_miss unsure], out.split
  end
end
