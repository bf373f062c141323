# frozen_string_literal: true

require_relative "exec_case"
require "yaml"

module Spate
  # The content of YAML files comes from the compile cache while the files are unchanged.
  class YamlTest < ExecCase
    LOADS = <<~'RUBY'
      require "yaml"
      ways = [[:load_file, {}], [:load_file, { symbolize_names: true }], [:unsafe_load_file, {}],
              [:unsafe_load_file, { symbolize_names: true, freeze: true }], [:safe_load_file, {}]]
      ways.each do |name, options|
        loaded = YAML.public_send(name, ARGV[0], **options)
        puts loaded.inspect.gsub(/0x\h+/, "0x")
        p loaded.frozen?, (loaded.first.last.frozen? if loaded.is_a?(Hash) && loaded.any?)
        if loaded.is_a?(Hash) && loaded["twice"]
          p loaded["once"].equal?(loaded["twice"])
        end
      rescue Exception => e
        puts "#{e.class}: #{e.message}"
      end
    RUBY

    FILES = {
      "plain" => "en:\n  hello: world\n  list: [1, 2.5, true, null, 'é']\n  sym: :b\n  1: one\n  ~: nil\n",
      "empty" => "", "alias" => "once: &o {a: 1}\ntwice: *o\n", "date" => "on: 2024-01-02\nat: 2024-01-02 03:04:05\n",
      "object" => "--- !ruby/object:Object {}\n", "broken" => "a: [1\n", "big" => "n: #{10**30}\nf: .inf\nx: 0x1F\n",
      "regexp" => "r: !ruby/regexp /a/\n", "merge" => "a: &a {x: 1}\nb:\n  <<: *a\n", "binary" => "b: !binary aGk=\n"
    }.freeze

    def load(path, program = "app/load.rb", **env) = spate_exec("ruby", File.join(folder, program), path, **env).first

    def setup
      super
      write("app/load.rb", LOADS)
    end

    def answers = Dir["#{project.home}/spate/store/v1/compile-cache/*/apps/*.yaml.compiled"].first

    def test_every_kind_of_file_is_loaded_as_psych_does
      FILES.each do |name, text|
        path = write("app/#{name}.yml", text)
        expected, = project.run("bundle", "exec", "ruby", File.join(folder, "app/load.rb"), path)
        first = load(path)
        assert_equal expected, first, name
        assert_equal expected, load(path), "#{name}, from the answers"
      end
      assert answers
    end

    def test_custom_tags_are_evaluated_each_time
      path = write("app/tags.yml", "plain: 1\nkey: !env WHICH\n")
      write("app/tags.rb", <<~RUBY)
        require "yaml"
        YAML.add_domain_type("", "env") { |_, name| ENV.fetch(name) }
        p YAML.load_file(ARGV[0])["key"], YAML.unsafe_load_file(ARGV[0])["key"]
      RUBY
      %w[one two].each { |which| assert_equal "#{which.inspect}\n" * 2, load(path, "app/tags.rb", WHICH: which) }
    end

    def hits(path)
      log = File.join(folder, "log")
      program = write("app/hits.rb", <<~RUBY)
        require "yaml"
        n = 0
        Spate::Boot.instrumentation = ->(event, path, _) { n += 1 if event == :hit && path.end_with?(".yml") }
        YAML.load_file(ARGV[0])
        p n
      RUBY
      load(path, program.delete_prefix("#{folder}/"), SPATE_LOG: log).to_i
    end

    def test_edit_applies_at_once_and_is_stored_again
      path = write("app/a.yml", "a: 1\n")
      assert_equal [0, 1], [hits(path), hits(path)]
      stat = File.stat(path)
      File.write(path, "a: 2\n")
      File.utime(stat.atime, stat.mtime, path)
      assert_match(/"a" ?=> ?2/, load(path))
      File.write(path, "a: 1\n")
      FileUtils.touch(path)
      assert_match(/"a" ?=> ?1/, load(path))
    end

    PATCHES = {
      "redefined" => "class Psych::ScalarScanner; def tokenize(string) = string.upcase; end",
      "prepended" => "Psych::ScalarScanner.prepend(Module.new { def tokenize(string) = super.to_s.upcase })",
      "visitor" => "Psych::Visitors::ToRuby.prepend(Module.new { def visit_Psych_Nodes_Scalar(o) = o.value.upcase })",
      "gone" => "class Psych::ScalarScanner; remove_method :tokenize; def method_missing(_, text) = text.upcase; end",
      "node" => "class Psych::Nodes::Scalar; def value = 'patched'; end",
      "maker" => "class << Psych::Visitors::ToRuby; def create(*, **) = raise('patched'); end",
      "loader" => "class << Psych; def parse_stream(*) = raise('patched'); end"
    }.freeze

    # Patches of Psych that are applied before the first file is loaded, or between two files.
    PATCHES.each do |name, patch|
      define_method("test_psych_#{name}_answers_for_itself") do
        path = write("app/a.yml", "a: some\n")
        write("app/patched.rb", <<~RUBY)
          require "yaml"
          loads = -> { p(YAML.load_file(ARGV[0])) rescue puts($!.message) }
          loads.call if ENV["LATE"]
          #{patch}
          loads.call
        RUBY
        2.times { load(path) }
        [{}, { LATE: "1" }].each do |env|
          expected, = project.run("bundle", "exec", "ruby", File.join(folder, "app/patched.rb"), path, **env)
          2.times { assert_equal expected, load(path, "app/patched.rb", **env), name }
        end
        assert_equal 1, hits(path), "results of a patched Psych are not stored"
      end
    end

    def test_patched_psych_is_used
      path = write("app/a.yml", "a: 1\n")
      assert_equal [0, 1], [hits(path), hits(path)]
      write("app/other.rb", "require 'psych/versions'; Psych.send(:remove_const, :VERSION); Psych::VERSION = '99.0'")
      write("app/other_hits.rb", "load '#{folder}/app/other.rb'; load '#{folder}/app/hits.rb'")
      assert_equal 0, load(path, "app/other_hits.rb").to_i
    end

    # After `mv config old; mv new config`, for example, only the inode differs.
    def test_file_with_the_same_times_in_its_place
      paths = %w[config new].map { |name| File.join(folder, "app/#{name}/a.yml") }
      100.times do
        paths.each_with_index { |path, index| write(path, "a: #{index}\n") }
        paths.each { |path| File.utime(1, 1, path) }
        break if paths.map { |path| File.stat(path).ctime }.uniq.one?
      end
      skip "this kernel's clock is too fine" unless paths.map { |path| File.stat(path).ctime }.uniq.one?

      sleep 0.03
      assert_equal [0, 1], [hits(paths[0]), hits(paths[0])]
      File.rename(File.dirname(paths[0]), "#{folder}/app/old")
      File.rename(File.dirname(paths[1]), File.dirname(paths[0]))
      refute_match(/"a" ?=> ?0/, load(paths[0]))
    end

    def test_no_answers_are_stored_when_switched_off
      path = write("app/a.yml", "a: 1\n")
      load(path, SPATE_NO_YAML: "1")
      load(path, SPATE_READONLY: "1")
      refute answers
    end

    def test_damaged_answers_are_not_used
      path = write("app/a.yml", "a: 1\n")
      load(path)
      bytes = File.binread(answers)
      bytes[-20, 10] = "\0" * 10
      File.binwrite("#{answers}.new", bytes)
      File.rename("#{answers}.new", answers)
      assert_match(/"a" ?=> ?1/, load(path))
    end
  end
end
