# frozen_string_literal: true

# rubocop:disable Layout/LineLength, Lint/InterpolationCheck -- a table

require "support/warm_matrix/rails"

module Spate
  # Generated changes of what a boot can read: each way to read an input, with each change that it shows.
  class WarmMatrix
    # value: Ruby that the application evaluates while booting; "@" is the case's folder. files: {path => text, :folder,
    # [:link, target] or [:hard, path]}. more: paths that the change creates or edits. change: called with
    # WarmMatrix::Hands. env: [before, after] of variables. late: whether the command evaluates the value, not the boot.
    Case = Struct.new(:number, :name, :value, :files, :more, :change, :env, :late, keyword_init: true) do
      def folder = "cases/#{number}"
      def roots = [*files.keys, *more].map { |path| path.start_with?("@") ? folder : path }.uniq
    end

    # Changes the files of one case. Paths begin with "@/", or are relative to the application.
    Hands = Struct.new(:app, :folder) do
      def path(name) = File.expand_path(name.sub("@", folder), app)

      def write(name, text)
        FileUtils.mkdir_p(File.dirname(path(name)))
        File.write(path(name), text)
      end

      def with_time(name)
        time = File.lstat(path(name)).mtime
        yield
        File.utime(time, time, path(name))
      end

      def put(name, what)
        return FileUtils.mkdir_p(path(name)) if what == :folder
        return write(name, what) if what.is_a?(String)

        FileUtils.mkdir_p(File.dirname(path(name)))
        case what.first
        when :link then File.symlink(what.last, path(name))
        when :hard then File.link(path(what.last), path(name))
        end
      end
    end

    PLAIN = ->(value) { "#{value}\n" }
    RUBY = ->(value) { "$matrix = #{value}\n" }

    # {way to read "@/a": [Ruby, its text for a value, other files]}
    CONTENT = {
      "File.read" => ['File.read("@/a")', PLAIN],
      "File.foreach" => ['File.foreach("@/a").to_a', PLAIN],
      "IO.binread" => ['IO.binread("@/a", 10, 0)', PLAIN],
      "File.open" => ['File.open("@/a") { |file| file.each_char.to_a }', PLAIN],
      "Pathname#read" => ['Rails.root.join("@/a").read', PLAIN],
      "IO.copy_stream" => ['IO.copy_stream("@/a", to = StringIO.new) && to.string', PLAIN],
      "Dir.chdir" => ['Dir.chdir("@") { File.read("a") }', PLAIN],
      "dot segments" => ['File.read("@/../../config/../@/./a")', PLAIN],
      "a child process" => ["`cat @/a`", PLAIN],
      "a script's child" => ['`sh -c "cd @; cat < a"`', PLAIN],
      "a script" => ["`sh @/a`", ->(value) { "echo #{value}\n" }],
      "a pipe" => ["IO.popen(%w[cat @/a], &:read)", PLAIN],
      "YAML.load_file" => ['YAML.load_file("@/a")', ->(value) { "a: #{value}\n" }],
      "config_for" => ['Rails.application.config_for(Rails.root.join("@/a"))', ->(value) { "shared:\n  a: #{value}\n" }],
      "ERB" => ['ERB.new(File.read("@/a")).result', ->(value) { "<%= #{value} %>" }],
      "JSON.load_file" => ['JSON.load_file("@/a")', ->(value) { "{\"a\":#{value}}" }],
      "load" => ['$matrix = nil; load "@/a"; $matrix', RUBY],
      "require" => ['$matrix = nil; require File.expand_path("@/a.rb"); $matrix', RUBY, "@/a.rb"],
      "require_relative" => ['$matrix = nil; require_relative "../../@/a"; $matrix', RUBY, "@/a.rb"],
      "the load path" => ['$:.unshift(File.expand_path("@")); $matrix = nil; require "a#{"@"[/\d+/]}"; $matrix', RUBY, "@/a%s.rb"],
      "autoload" => ['$matrix = nil; Object.autoload(:"Matrix#{"@"[/\d+/]}", File.expand_path("@/a.rb")); ' \
                     'Object.const_get(:"Matrix#{"@"[/\d+/]}") rescue nil; $matrix', RUBY, "@/a.rb"],
      "instance_eval" => ['eval(File.read("@/a"))', PLAIN],
      "a link" => ['File.read("@/link")', PLAIN, "@/a", { "@/link" => [:link, "a"] }],
      "a chain of links" => ['File.read("@/one")', PLAIN, "@/a", { "@/one" => [:link, "two"], "@/two" => [:link, "a"] }],
      "a linked folder" => ['File.read("@/b/a")', PLAIN, "@/c/a", { "@/b" => [:link, "c"] }]
    }.freeze
    CHANGES = {
      "edited" => ->(hands, name, text) { hands.write(name, text.call(10)) },
      "edited, of the same size" => ->(hands, name, text) { hands.write(name, text.call(2)) },
      "edited, size and mtime put back" => ->(hands, name, text) { hands.with_time(name) { hands.write(name, text.call(2)) } },
      "edited in place" => ->(hands, name, text) { File.open(hands.path(name), "r+") { |file| file.write(text.call(2)) } },
      "replaced, size and mtime put back" => lambda do |hands, name, text|
        hands.write("#{name}.new", text.call(2))
        time = File.mtime(hands.path(name))
        File.utime(time, time, hands.path("#{name}.new"))
        File.rename(hands.path("#{name}.new"), hands.path(name))
      end,
      "removed" => ->(hands, name, _) { File.unlink(hands.path(name)) },
      "emptied" => ->(hands, name, _) { File.truncate(hands.path(name), 0) },
      "replaced by a link" => lambda do |hands, name, text|
        hands.write("#{name}.other", text.call(2))
        File.unlink(hands.path(name))
        File.symlink(File.basename("#{name}.other"), hands.path(name))
      end,
      "replaced by a folder" => lambda do |hands, name, _|
        File.unlink(hands.path(name))
        Dir.mkdir(hands.path(name))
      end,
      "in a folder that was replaced by an older one" => lambda do |hands, name, text|
        folder = File.dirname(hands.path(name))
        FileUtils.cp_r(folder, "#{folder}-new", preserve: true)
        File.write("#{folder}-new/#{File.basename(name)}", text.call(2))
        time = File.mtime(hands.path(name))
        File.utime(time, time, "#{folder}-new/#{File.basename(name)}")
        FileUtils.rm_rf(folder)
        File.rename("#{folder}-new", folder)
      end
    }.freeze

    FACTS = {
      "File.mtime" => ['File.mtime("@/a").to_r', %i[touch]], "File.size" => ['File.size("@/a")', %i[grow remove]],
      "File.stat" => ['s = File.stat("@/a"); [s.mode, s.size, s.mtime.to_r]', %i[touch grow chmod remove]],
      "File.exist?" => ['File.exist?("@/a")', %i[remove]], "File.file?" => ['File.file?("@/a")', %i[remove folder]],
      "File.zero?" => ['File.zero?("@/a")', %i[empty]], "File.size?" => ['File.size?("@/a")', %i[empty grow remove]],
      "File.executable?" => ['File.executable?("@/a")', %i[chmod]], "File.ftype" => ['File.ftype("@/a")', %i[folder link]],
      "File.world_readable?" => ['File.world_readable?("@/a")', %i[chmod]],
      "File.symlink?" => ['File.symlink?("@/a")', %i[link]], "File.realpath" => ['File.realpath("@/a")', %i[link remove]],
      "Pathname#exist?" => ['Rails.root.join("@/a").exist?', %i[remove]],
      "test -x" => ['system("test -x @/a")', %i[chmod]], "stat" => ["`stat -c %s-%Y-%a @/a`", %i[touch grow chmod]],
      "File.identical?" => ['File.identical?("@/a", "@/b")', %i[remove replace]],
      "File.readlink" => ['File.readlink("@/l")', %i[retarget]], "the target of a link" => ['File.size("@/l")', %i[grow retarget]],
      "File.lstat" => ['File.lstat("@/l").ftype', %i[retype]], "a link's absolute target" => ['File.realpath("@/l")', %i[retarget]]
    }.freeze
    FACT_CHANGES = {
      touch: ->(hands) { File.utime(1, 1, hands.path("@/a")) }, grow: ->(hands) { hands.write("@/a", "datadata") },
      chmod: ->(hands) { File.chmod(0o700, hands.path("@/a")) }, remove: ->(hands) { File.unlink(hands.path("@/a")) },
      empty: ->(hands) { File.truncate(hands.path("@/a"), 0) },
      folder: lambda do |hands|
        File.unlink(hands.path("@/a"))
        Dir.mkdir(hands.path("@/a"))
      end,
      link: lambda do |hands|
        File.rename(hands.path("@/a"), hands.path("@/z"))
        File.symlink("z", hands.path("@/a"))
      end,
      replace: lambda do |hands|
        hands.write("@/n", "data")
        File.rename(hands.path("@/n"), hands.path("@/a"))
      end,
      retarget: lambda do |hands|
        hands.write("@/other", "other data")
        File.unlink(hands.path("@/l"))
        File.symlink("other", hands.path("@/l"))
      end,
      retype: lambda do |hands|
        File.unlink(hands.path("@/l"))
        hands.write("@/l", "data")
      end
    }.freeze

    LISTS = {
      "Dir.children" => ['Dir.children("@/d").sort', %i[add remove rename hidden folder]],
      "Dir.entries" => ['Dir.entries("@/d").sort', %i[add remove rename hidden]],
      "Dir.each_child" => ['Dir.each_child("@/d").to_a.sort', %i[add remove]],
      "Dir[]" => ['Dir["@/d/*"].sort', %i[add remove rename folder]],
      "Dir[] of one kind" => ['Dir["@/d/*.rb"].sort', %i[ruby]],
      "Dir[**]" => ['Dir["@/d/**/*"].sort', %i[add remove rename folder deep deeper]],
      "Dir.glob, base" => ['Dir.glob("**/*", base: "@/d").sort', %i[add remove deep deeper]],
      "Dir.glob with braces" => ['Dir.glob("@/d/{one,two,{three,four}}*").sort', %i[add remove]],
      "Pathname#glob" => ['Rails.root.glob("@/d/**/*.rb").map(&:to_s).sort', %i[ruby deep]],
      "Pathname#children" => ['Rails.root.join("@/d").children.map(&:to_s).sort', %i[add remove]],
      "Find.find" => ['require "find"; Find.find("@/d").sort', %i[add remove deep]],
      "Dir.empty?" => ['Dir.empty?("@/d/e")', %i[fill]], "Dir.exist?" => ['Dir.exist?("@/d/e")', %i[drop]],
      "ls" => ["`ls -R @/d`", %i[add remove rename folder deep]], "find" => ["`find @/d | sort`", %i[add deep deeper]],
      "a linked folder" => ['Dir.children("@/l").sort', %i[add remove]],
      "each file loaded" => ['Dir["@/d/**/*.rb"].sort.map { |path| $matrix = nil; load path; $matrix }', %i[ruby deep]],
      "each file required" => ['$matrix = nil; Dir.glob(File.expand_path("@/d/*.rb")).sort.each { |path| require path }; $matrix', %i[ruby]]
    }.freeze
    LIST_CHANGES = {
      add: ->(hands) { hands.write("@/d/two", "") }, remove: ->(hands) { File.unlink(hands.path("@/d/one")) },
      rename: ->(hands) { File.rename(hands.path("@/d/one"), hands.path("@/d/three")) },
      hidden: ->(hands) { hands.write("@/d/.hidden", "") }, folder: ->(hands) { Dir.mkdir(hands.path("@/d/f")) },
      ruby: ->(hands) { hands.write("@/d/m.rb", "$matrix = 9\n") }, deep: ->(hands) { hands.write("@/d/e/m.rb", "$matrix = 8\n") },
      deeper: ->(hands) { hands.write("@/d/g/h/two", "") }, fill: ->(hands) { hands.write("@/d/e/x", "") },
      drop: ->(hands) { Dir.rmdir(hands.path("@/d/e")) }
    }.freeze

    # {way to look for "@/a", which is missing: Ruby}
    ABSENT = {
      "File.exist?" => 'File.exist?("@/a")', "File.read" => 'File.read("@/a")', "load" => 'load("@/a")',
      "Dir[]" => 'Dir["@/a*"]', "a child process" => "`cat @/a 2>&1`", "Pathname#exist?" => 'Rails.root.join("@/a").exist?',
      "a link without target" => 'File.exist?("@/l")', "File.stat" => 'File.stat("@/a").size',
      "YAML.load_file" => 'YAML.load_file("@/a")', "sh" => '`sh -c "test -e @/a && echo yes"`',
      "File.symlink?" => 'File.symlink?("@/a") || File.exist?("@/a")'
    }.freeze
    # {way: [Ruby, files that are created]}
    ABSENT_DEEP = {
      "a folder that is missing" => ['File.exist?("@/b/c/d/a")', "@/b/c/d/a"],
      "Dir[] in a folder that is missing" => ['Dir["@/b/*"]', "@/b/a"],
      "Dir[**] in a folder that is missing" => ['Dir["@/b/c/**/*.rb"]', "@/b/c/d/a.rb"],
      "Dir.children of a missing folder" => ['Dir.children("@/b")', "@/b/a"],
      "require of a missing file" => ['$matrix = nil; require "m#{"@"[/\d+/]}"; $matrix', "lib/m%s.rb"],
      "require from an earlier folder" => ['$matrix = nil; $:.unshift(File.expand_path("@/two")); ' \
                                           '$:.unshift(File.expand_path("@/one")); require "e#{"@"[/\d+/]}"; $matrix', "@/one/e%s.rb"],
      "require from a missing folder" => ['$matrix = nil; $:.unshift(File.expand_path("@/none")); require "n#{"@"[/\d+/]}"; $matrix',
                                          "@/none/n%s.rb"],
      "require of a path" => ['$matrix = nil; require File.expand_path("@/p"); $matrix', "@/p.rb"],
      "require_relative" => ['$matrix = nil; require_relative "../../@/q"; $matrix', "@/q.rb"],
      "autoload" => ['$matrix = nil; Object.autoload(:"Absent#{"@"[/\d+/]}", File.expand_path("@/a.rb")); ' \
                     '(Object.const_get(:"Absent#{"@"[/\d+/]}") rescue nil); $matrix', "@/a.rb"],
      "a program on the PATH" => ['ENV["PATH"] = "#{File.expand_path("@/bin")}:#{old = ENV["PATH"]}"; ' \
                                  'found = (`warm-matrix-#{"@"[/\d+/]} 2>&1` rescue nil); ENV["PATH"] = old; found', "@/bin/warm-matrix-%s"],
      "a file instead of a folder" => ['File.exist?("@/file/a")', nil]
    }.freeze

    ENVIRONMENT = {
      "ENV[]" => 'ENV["NAME"]', "ENV.fetch" => 'ENV.fetch("NAME", nil)', "ENV.key?" => 'ENV.key?("NAME")', "ENV.to_h" => 'ENV.to_h["NAME"]',
      "ENV.each" => 'ENV.find { |name, _| name == "NAME" }', "ENV.values_at" => 'ENV.values_at("NAME")', "ENV.slice" => 'ENV.slice("NAME")',
      "ENV.keys" => '[ENV.keys, ENV.values].transpose.assoc("NAME")', "ENV.select" => 'ENV.select { |name, _| name.start_with?("NAME") }',
      "a shell" => '`echo "$NAME"`', "env" => "`env`[/^NAME=.*/]", "/proc/self/environ" => 'File.binread("/proc/self/environ")[/\bNAME=[^\0]*/]',
      "ENV in ERB" => 'ERB.new("<%= ENV[%q[NAME]] %>").result', "Process.spawn" => "IO.popen(%w[printenv NAME], &:read)"
    }.freeze
    ENVIRONMENT_CHANGES = { "set" => [nil, "1"], "changed" => %w[1 2], "unset" => ["1", nil], "emptied" => ["1", ""] }.freeze

    def cases
      @cases ||= [*content, *facts, *lists, *absent, *deep_absent, *environment, *Rails.cases].each_with_index.map { |one, at| number(one, at) }
    end

    private

    # "%s" in names is the number.
    def number(one, at)
      text = one.number = format("%04d", at)
      one.files = one.files.transform_keys { |name| name.sub("%s", text) }
      return one unless one.env

      one.value = one.value.gsub("NAME", "MATRIX_#{text}")
      name = one.value[/(?:SSH_)?MATRIX_#{text}/]
      one.env = one.env.map { |value| { name => value } }
      one
    end

    def content
      CONTENT.flat_map do |way, (value, text, name, others)|
        name ||= "@/a"
        CHANGES.filter_map do |kind, change|
          next if kind.include?("older one") && way.include?("links")

          Case.new(name: "#{way}: #{kind}", value: value, files: { name => text.call(1), **others.to_h },
                   change: ->(hands) { change.call(hands, name.sub("%s", hands.folder[/\d+/]), text) })
        end
      end
    end

    def facts
      FACTS.flat_map do |way, (value, changes)|
        changes.map do |change|
          Case.new(name: "#{way}: #{change}", value: value, change: FACT_CHANGES.fetch(change),
                   files: { "@/a" => "data", "@/b" => [:hard, "@/a"], "@/l" => [:link, "a"] })
        end
      end
    end

    def lists
      LISTS.flat_map do |way, (value, changes)|
        changes.map do |change|
          Case.new(name: "#{way}: #{change}", value: value, change: LIST_CHANGES.fetch(change),
                   files: { "@/d/one" => "", "@/d/e" => :folder, "@/d/g/h" => :folder, "@/l" => [:link, "d"] })
        end
      end
    end

    def absent
      ABSENT.map do |way, value|
        Case.new(name: "missing: #{way}", value: value, files: { "@/l" => [:link, "a"] },
                 change: ->(hands) { hands.write("@/a", "data") })
      end
    end

    def deep_absent
      ABSENT_DEEP.map do |way, (value, name)|
        Case.new(name: "missing: #{way}", value: value,
                 files: { "@/two/e%s.rb" => "$matrix = 1\n", "@/file" => "", **(name.to_s.start_with?("@") || name.nil? ? {} : { name => nil }) },
                 change: ->(hands) { create(hands, name&.sub("%s", hands.folder[/\d+/])) })
      end
    end

    def create(hands, name)
      if name
        hands.write(name, name.include?("bin/") ? "#!/bin/sh\necho 2\n" : "$matrix = 2\n")
        File.chmod(0o755, hands.path(name))
      else
        File.unlink(hands.path("@/file"))
        hands.write("@/file/a", "")
      end
    end

    # SSH_*: a variable of a session, which counts only if the boot reads it.
    def environment
      all = ENVIRONMENT.to_a.product(ENVIRONMENT_CHANGES.to_a, ["", "SSH_"]).map do |(way, value), (kind, values), prefix|
        Case.new(name: "#{way}: #{kind}#{", of a session" if prefix != ""}", files: {}, env: values,
                 value: value.gsub("NAME", "#{prefix}NAME"))
      end
      all.reject { |one| one.name.match?(/ENV.key\?: (?:changed|emptied)|a shell: emptied/) }
    end
  end
end
# rubocop:enable Layout/LineLength, Lint/InterpolationCheck
