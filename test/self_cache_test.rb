# frozen_string_literal: true

require "test_helper"
require "open3"

module Spate
  # SelfCache, the compile cache of Spate's own files: it is built, used, and rebuilt after an edit or damage. Spate
  # starts as by its launcher, with a copy of its sources and a separate store.
  class SelfCacheTest < Minitest::Test
    LIBRARY = File.expand_path("../lib", __dir__)
    SCRIPT = <<~RUBY
      require "spate"
      at_exit do
        require "spate/native"
        own = Spate::Native::Loader.recorded.select { |path, _| path.include?("/lib/spate") }
        warn "LOADED \#{own.count { |_, outcome| outcome == :hit }} \#{own.count { |_, outcome| outcome != :hit }}"
      end
      exit Spate::CLI.start(ARGV, out: $stdout, err: $stderr, env: ENV)
    RUBY

    def setup
      FileUtils.mkdir_p([home, store])
      FileUtils.cp_r(LIBRARY, "#{folder}/lib")
      write("spate.rb", SCRIPT)
    end

    def test_second_run_compiles_no_file
      assert_equal [0, 0], run_spate("help"), "nothing was recorded without a compile cache"
      assert made?
      hits, others = run_spate("help")

      assert_operator hits, :>, 5
      assert_equal 0, others
      run_spate("store", "path")
      assert_equal 1, caches.size
    end

    def test_edit_is_used_at_once_and_the_compile_cache_is_rebuilt
      run_spate("version")
      assert made?
      version = File.read("#{folder}/lib/spate/version.rb")
      File.write("#{folder}/lib/spate/version.rb", version.sub(VERSION, "77.0"))
      before = File.stat(cache).ino

      assert_match(/77\.0/, run_spate("version", output: true))
      assert wait { caches.any? && File.stat(cache).ino != before }
      assert_match(/77\.0/, run_spate("version", output: true))
      assert_equal 0, run_spate("version").last
    end

    def test_a_damaged_compile_cache_is_made_again
      run_spate("version")
      assert made?
      bytes = File.binread(cache)
      File.binwrite(cache, bytes[0, bytes.bytesize / 2])
      assert_match(/#{VERSION}/, run_spate("version", output: true))
      assert wait { File.size?(cache).to_i > bytes.bytesize / 2 }
    end

    def test_compile_cache_writable_by_others_is_not_loaded_and_stays
      run_spate("version")
      assert made?
      File.chmod(0o666, cache)

      assert_equal [0, 0], run_spate("version")
      sleep 0.1
      assert_equal 0o666, File.stat(cache).mode & 0o777
    end

    def test_switches_and_folders_without_a_compile_cache
      [{ CI: "true" }, { SPATE_READONLY: "1" }, { SPATE_BOOT: "0" }, { SPATE_NO_OWN_CODE: "1" },
       { SPATE_HOME: "#{folder}/nowhere" }, { SPATE_HOME: "relative" }].each { |env| run_spate("version", **env) }
      sleep 0.2

      assert_empty caches
      refute_path_exists "#{folder}/nowhere"
    end

    # If the child inherited them, a shell's lock (`exec 9>lock; flock 9`) would not end with the shell, nor a pipe with
    # the command.
    def test_maker_inherits_no_open_files
      read, write = IO.pipe
      run_spate("version", options: { write => write })
      write.close
      assert IO.select([read], nil, nil, 30)
      assert_empty caches, "it was made before the file was closed"
      assert made?
    ensure
      [read, write].each(&:close)
    end

    def test_a_program_of_the_user_runs_without_it
      run_spate("version")
      assert made?
      write("app/Gemfile", "")
      program = write("program.rb", "puts $LOADED_FEATURES.grep(/self_cache/).size")
      out, = spate("exec", "ruby", program, SPATE_NO_BUNDLE: "1")

      assert_equal "0\n", out.lines.last
    end

    private

    def home = "#{folder}/home"
    def store = "#{home}/spate/store/v1"
    def caches = Dir.glob("#{store}/compile-cache/own/*.compiled")
    def cache = caches.first

    # Waits for the child process that creates the compile cache. It has finished when its lock is gone.
    def made? = wait { caches.any? && Dir.glob("#{store}/compile-cache/own/*.lock").empty? }

    def wait
      1200.times { yield ? (return true) : sleep(0.05) }
      false
    end

    # Returns [number of files from the compile cache, number of compiled files], or the whole output.
    def run_spate(*argv, output: false, options: {}, **env)
      out, err, status = spate(*argv, options: options, **env)
      assert_predicate status, :success?, err
      output ? out : err[/LOADED (.*)/, 1].split.map(&:to_i)
    end

    def spate(*argv, options: {}, **env)
      FileUtils.mkdir_p("#{folder}/app")
      environment = { "HOME" => home, "SPATE_HOME" => "#{home}/spate", "SPATE_NO_OWN_CODE" => nil, "CI" => nil,
                      "RUBYOPT" => nil }.merge(env.transform_keys(&:to_s))
      Open3.capture3(environment, RbConfig.ruby, "--disable-gems", "-I#{folder}/lib", "#{folder}/spate.rb", *argv,
                     chdir: "#{folder}/app", **options)
    end
  end
end
