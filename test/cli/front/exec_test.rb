# frozen_string_literal: true

require "cli/front/front_case"
require "support/project"

# `spate exec` through the front end results in the same process as through the launcher, and starts Ruby once.
class FrontExecTest < FrontCase
  STATE = "p [$0, ARGV, Dir.pwd, ENV.to_h.sort, $LOAD_PATH, Process.argv0, trap('INT', 'DEFAULT'), " \
          "Gem.loaded_specs.keys.sort, defined?(Base)]"

  def setup
    super
    @source = GemSource.start
    @source.add("base", "1.0")
    @app = Spate::TestProject.new(File.join(folder, "app"), "source '#{@source.url}'\ngem 'base'\n")
    @app.lock
    @app.spate!("install", "--compile-cache", "wait")
  end

  def teardown
    @source&.stop
    super
  end

  def environment = super.merge(@app.env).merge("BUNDLE_APP_CONFIG" => nil)

  def same(*words, **options) = assert_same("exec", *words, dir: @app.folder, **options)

  def test_ruby_is_the_same_process
    write("app/script.rb", STATE)
    [["ruby", "-e", STATE], ["ruby", "script.rb", "a b", "", "--"],
     ["--", "ruby", "-W0", "script.rb"], ["--verbose", "ruby", "script.rb"], ["ruby", "-Ix", "-rset", "-e", STATE],
     ["ruby", "--enable=frozen-string-literal", "script.rb"], [RbConfig.ruby, "script.rb"],
     ["--gemfile", "./x/../Gemfile", "ruby", "script.rb"], ["--gemfile=Gemfile", "ruby", "script.rb"],
     ["--keep-file-descriptors", "ruby", "script.rb"],
     ["--no-keep-file-descriptors", "ruby", "script.rb"]].each do |words|
      out, = same(*words)
      assert_match(/base/, out, words.inspect)
    end
  end

  def test_environments
    write("app/script.rb", STATE)
    write("app/bin/ruby", "#!/bin/sh\necho mine\n", mode: 0o755)
    File.symlink(RbConfig.ruby, File.join(folder, "app/rubies"))
    [{ "BUNDLE_GEMFILE" => "Gemfile" }, { "BUNDLE_GEMFILE" => "" }, { "SPATE_CACHE_KEY" => "secret" },
     { "SPATE_BOOT" => "0" }, { "SPATE_LEAN" => "0" }, { "RUBYOPT" => "-w" }, { "RUBYOPT" => "" },
     { "SPATE_NODE_MODULES" => "/x" }, { "SPATE_HEAP" => "1" }, { "SPATE_RUBY" => "another" }, { "HOME" => nil },
     { "PATH" => "bin:#{ENV.fetch("PATH")}" }, { "PATH" => "./bin//:/usr/bin" },
     { "PATH" => "#{@app.folder}/bin:/usr/bin" }, { "PATH" => "/none:/usr//bin/:" }, { "PATH" => "" },
     { "RUBY_GC_HEAP_INIT_SLOTS" => "20000" }].each { |env| same("ruby", "script.rb", env: env) }
    same("./rubies", "script.rb")
    same("bin/ruby", "script.rb")
  end

  # The front end uses the log of past boots of the same kind to choose the variables for the heap.
  def test_boot_log_has_the_kind_of_the_program
    write("app/bin/tool", "#!/usr/bin/env ruby\nfork { exit! }\n", mode: 0o755)
    run_program(front, "exec", "bin/tool", "task", dir: @app.folder)

    assert_equal(["tool task"], Dir.glob("#{folder}/**/*.bootlog").flat_map { |path| File.readlines(path) }
                                   .map { |line| line.split("\t")[1] })
  end

  def test_failures_are_the_same
    [%w[missing], %w[ruby missing.rb], %w[ruby -e exit(7)], ["ruby", "-e", "raise 'odd'"],
     %w[ruby -e 1 -r a], %w[ruby -e nonsense(],
     %w[-x ruby], %w[--gemfile missing ruby -e 1], %w[--gemfile], %w[--gemfile ~/x ruby -e 1],
     ["ruby", "-e", "Process.kill(:TERM, $$); sleep"]].each { |words| same(*words) }
  end

  def test_a_folder_with_packages_is_left_to_ruby
    write("app/package.json", "{}")

    same("ruby", "-e", STATE)
  end

  def test_ruby_is_started_once
    assert_equal [front, Spate::Util::Ruby.path], programs(front, "exec", "ruby", "-e", "1", dir: @app.folder)
    write("app/tool", "#!/usr/bin/env ruby\nputs 1\n", mode: 0o755)
    assert_equal [front, ruby], programs(front, "exec", "./tool", dir: @app.folder)
  end

  def test_the_key_for_a_teams_cache_reaches_no_program
    out, = same("ruby", "-e", "puts File.read('/proc/self/environ').include?('secret'), ENV['SPATE_CACHE_KEY'].inspect",
                env: { "SPATE_CACHE_KEY" => "secret" })

    assert_equal "false\nnil\n", out
  end

  def test_signal_settings
    script = "trap '' INT HUP; exec %s exec ruby -e \"p trap('INT', 'DEFAULT'), trap('HUP', 'DEFAULT')\""
    both = [ruby, front].map { |program| run_program("sh", "-c", format(script, program), dir: @app.folder) }

    assert_equal "\"DEFAULT\"\n\"IGNORE\"\n", both.first.first
    assert_equal(*both)
  end
end
