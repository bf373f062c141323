# frozen_string_literal: true

require_relative "build_case"

module Spate
  # The error of a failed build contains its command, log and reason, and names a missing package. The builds really
  # fail.
  class FailureTest < BuildCase
    def failure(archive, **options)
      assert_raises(Build::BuildError) { build(builder(**options), archive) }
    end

    def test_a_compilers_error_is_shown_with_command_and_log
      error = failure(native_gem("alpha", { "ext/alpha/alpha.c" => "int broken(void) { return no_such_thing; }\n" }))

      assert_equal 10, error.exit_code
      assert_match(/\Aalpha-1\.0: its native extension failed to build \(exit code 2\); /, error.message)
      assert_match(/failing command: make.*; full log: /, error.message)
      assert_match(/alpha\.c:1:\d+: error: .*no_such_thing/, error.details.join("\n"))
      assert_operator error.details.size, :<=, 16
      assert_includes File.read(error.log), "extconf.rb"
      assert_match(/bundle config set build\.alpha/, error.hint)
      refute_path_exists File.join(layout.extensions, "alpha-1.0/gem.build_complete")
      assert_nil store.build(key(builder, File.join(folder, "source/alpha/alpha-1.0.gem")))
    end

    # A failing program may have printed the environment, which can contain secrets.
    def test_log_is_private
      log = failure(native_gem("alpha", { "ext/alpha/extconf.rb" => "abort ENV.inspect" })).log

      assert_equal [0o600, 0o700], [log, File.dirname(log)].map { |path| File.stat(path).mode & 0o777 }
    end

    def test_logs_in_a_shared_folder_stay_readable_for_its_group
      File.chmod(0o775, store.make(store.root))
      log = failure(native_gem("alpha", { "ext/alpha/extconf.rb" => "abort" })).log

      assert_equal [0o600, 0o755], [log, File.dirname(log)].map { |path| File.stat(path).mode & 0o777 }
    end

    # { header of a library that few machines have => pattern of its package's name on any system }
    HEADERS = { "sybdb.h" => "freetds", "zmq.h" => "zeromq|libzmq", "pcap.h" => "libpcap",
                "git2.h" => "libgit2" }.freeze

    def there?(header) = system("echo '#include <#{header}>' | cc -E - >/dev/null 2>&1")

    def test_a_missing_header_names_the_package
      header, package = HEADERS.find { |name, _| !there?(name) }
      skip "this machine has all of #{HEADERS.keys.join(", ")}" unless header

      archive = native_gem("alpha", { "ext/alpha/alpha.c" => "#include <#{header}>\n" })
      assert_match(/#{package}/, failure(archive).hint)
    end

    def test_a_missing_compiler_is_named_where_there_is_none
      log = Build::Failure::Log.new("current directory: /x\nruby extconf.rb\nmkmf.rb:498:in `try_do': " \
                           "The compiler failed to generate an executable file. (RuntimeError)\n")

      assert_equal "gcc", Build::Failure.new(nil, log, path: folder).missing.what
      assert_nil Build::Failure.new(nil, log).missing
    end

    def test_failed_probe_is_shown
      archive = native_gem("alpha", { "ext/alpha/extconf.rb" => <<~RUBY })
        require "mkmf"
        have_header("sybdb_none.h") or abort "sybdb_none.h is missing, please install it"
      RUBY
      error = failure(archive)

      assert_match(/extconf\.rb/, error.command)
      assert_match(/sybdb_none\.h is missing/, error.details.join("\n"))
      assert_match(/checking for sybdb_none\.h.* no$/, error.details.join("\n"))
      assert_includes File.read(error.log), "mkmf.log:"
    end

    def test_reason_of_extconf_is_shown_below_its_headline
      archive = native_gem("alpha", { "ext/alpha/extconf.rb" => <<~RUBY })
        abort "ERROR: Can't install alpha.\\nCan't find the thing that it needs."
      RUBY

      assert_equal ["ERROR: Can't install alpha.", "Can't find the thing that it needs."], failure(archive).details
    end

    def test_an_exception_in_extconf_is_shown
      error = failure(native_gem("alpha", { "ext/alpha/extconf.rb" => "require 'no/such/library'\n" }))

      assert_match(%r{cannot load such file -- no/such/library \(LoadError\)}, error.details.join("\n"))
    end

    def test_makefile_that_fails_with_parallel_jobs_is_built_without
      # The Makefile lacks a dependency: with parallel jobs, `second` starts before `first` has created the file.
      archive = native_gem("alpha", { "ext/alpha/extconf.rb" => <<~'RUBY' })
        File.write("Makefile", <<~MAKE)
          all: first second
          first:
          \tsleep 1; echo made > made
          second:
          \tcp made copy
          install:
          \tcp copy installed
          clean:
          \trm -f made copy
        MAKE
      RUBY
      result = build(builder(jobs: 2), archive)

      refute_nil result.manifest
      assert_match(/without parallel jobs/, seen.find { |event| event[:event] == :warning }[:message])
      assert_path_exists File.join(layout.gems, "alpha-1.0/ext/alpha/installed")
    end

    def test_terminal_sequences_are_removed
      error = failure(native_gem("alpha",
                                 { "ext/alpha/extconf.rb" => %(abort "ERROR \\e[31mred\\e[0m \\a\\xFF is missing"\n) }))

      assert_includes error.details, "ERROR red ? is missing"
    end

    def test_extension_without_a_known_builder
      error = failure(native_gem("alpha", { "ext/strange.txt" => "" }, extensions: ["ext/strange.txt"]))

      assert_match(/No builder for extension/, error.details.join("\n"))
    end
  end
end
