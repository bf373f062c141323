# frozen_string_literal: true

module Runner
  # The commands of a run. Those that took longest the last time (Times) come first, so that all processors are used
  # until the end.
  class Plan
    CORE = %w[test test-sanitizers test-nodeflate test-elsewhere].freeze
    CORE_FULL = %w[test-tsan test-musl valgrind].freeze
    PARTS = %w[core fuzz ruby server style].freeze
    # The Ruby tests with a later Ruby. Runs only with --full or by name.
    OTHER_RUBY = "other-ruby"
    OTHER_VERSION = "3.4"
    # The tests that depend most on Ruby, RubyGems, Bundler and compilers, in the other Debian release. There is one
    # program for each component that may differ there. Runs only by name, with --full all Ruby tests, and as a sample
    # in CI, if that runs as root.
    OTHER_SYSTEM = "other-system"
    OTHER_SYSTEM_SAMPLE = %w[test/install/install_test.rb test/gemfile/setup/record_test.rb test/boot/start_test.rb
                             test/specification/rubygems_metadata_test.rb bytes/test/zlib/zstream_test.rb].freeze
    OTHER_SYSTEM_TESTS = [
      "test/boot/bundler_replay", "test/compile_cache",
      *%w[boot/bootsnap boot/exec/program boot/proof/distrust boot/start gemfile/setup/record
          install/bundler/bundler_settings install/extensions/build_changes install/extensions/native_processor
          install/install install/prepare/variants specification/eras specification/plain_metadata
          specification/rubygems_metadata].map { |name| "test/#{name}_test.rb" },
      *%w[bytes/abi bytes/compat zlib/deflate zlib/global zlib/gzip_reader zlib/zstream]
        .map { |name| "bytes/test/#{name}_test.rb" }
    ].freeze
    # Minutes after which the other system and the sample are stopped.
    MINUTES = 20
    SAMPLE_MINUTES = 5
    # Seconds of processor time that a test program should take in a sample, estimated from Times.
    SAMPLE_SECONDS = 5
    FUZZED = "int LLVMFuzzerTestOneInput(const char *bytes, long count) { return bytes[count - 1] == 0; }\n"

    # only: parts (empty = all). files: given test files or folders. other: a system for bin/fresh, in which they are
    # run instead. in_ci: whether this is a CI run. test: the name of the only test to run in the files. times: for the
    # order. preloaded: forks test programs. sample: whether long programs run only every nth test, as in `bin/test`
    # without options.
    def initialize(root, full: false, only: [], files: [], ruby: RbConfig.ruby, other: nil, in_ci: false,
                   test: nil, times: Times.new(root), preloaded: Preloaded.new(ruby), sample: false)
      @root = root
      @full = full
      @only = only
      @files = files
      @ruby = ruby
      @other = other
      @in_ci = in_ci
      @test = test
      @times = times
      @preloaded = preloaded
      @sample = sample && !full && files.empty?
    end

    # The longest jobs first. The other system takes longest.
    def jobs
      all = parts.flat_map { |part| send(part.tr("-", "_")) }
      all.sort_by.with_index { |job, index| [job.part == OTHER_SYSTEM ? 0 : 1, -@times.of(job.name), index] }
    end

    # Whether this is a plain `bin/test` with all parts.
    def whole? = @files.empty? && @only.empty? && @other.nil?

    def parts
      return [OTHER_RUBY] if @other
      return ["ruby"] unless @files.empty?

      return @only unless @only.empty?

      return [*PARTS, OTHER_RUBY] if @full

      @in_ci && Process.euid.zero? ? [OTHER_SYSTEM, *PARTS] : PARTS
    end

    private

    def core
      targets = CORE + (@full ? CORE_FULL : [])
      targets.map do |target|
        Job.new("core", "core #{target}", make(target), counts: Counts::Core, limit: @full ? 3600 : Job::LIMIT,
                                                        missing: lacking(target), early: true)
      end
    end

    # The targets of fuzz/.
    def fuzz
      seconds = @full ? 300 : 6
      Dir[File.join(@root, "{,bytes/}fuzz/*_fuzzer.{c,rb}")].sort.map do |path|
        name = File.basename(path)[/\A\w+(?=_fuzzer)/]
        missing = no_sanitizers if path.end_with?(".c")
        Job.new("fuzz", "fuzz #{name}", fuzzer(path, name, seconds), counts: Counts::Fuzzer, limit: seconds + 180,
                                                                     missing: missing, early: path.end_with?(".c"))
      end
    end

    # Fuzzers in Ruby are run directly, those of the core with its Makefile, the lockfile's with a separate one.
    def fuzzer(path, name, seconds)
      return [@ruby, path, seconds.to_s] if path.end_with?(".rb")

      own = path.delete_prefix("#{@root}/").sub(/c\z/, "mk")
      return ["make", "-s", "-f", own, "run", "FUZZ_SECONDS=#{seconds}"] if File.exist?(File.join(@root, own))

      make("fuzz-#{name}", "SECONDS=#{seconds}")
    end

    def ruby = test_files.map { |path| minitest("ruby", path) }

    # The tests and the fuzzer of the gem in server/.
    def server
      seconds = @full ? 300 : 6
      fuzzer = Job.new("server", "fuzz hpack", ["make", "-s", "-C", "server/fuzz", "run", "FUZZ_SECONDS=#{seconds}"],
                       counts: Counts::Fuzzer, limit: seconds + 180, missing: no_sanitizers, early: true)
      tests = Dir[File.join(@root, "server/test/**/*_test.rb")]
      [fuzzer, *tests.map { |path| minitest("server", path) }]
    end

    def minitest(part, path)
      name = path.delete_prefix("#{@root}/")
      arguments = ["--verbose", *(["-n", @test] if @test)]
      Job.new(part, name, [@ruby, "-W:deprecated", *paths(name).map { |folder| "-I#{folder}" }, path, *arguments],
              counts: Counts::Minitest, limit: @full ? 3600 : Job::LIMIT, repeat: "bin/test #{name}", env: sample(name),
              program: @preloaded.program(path, arguments, paths(name)))
    end

    # The environment for a sample of a program's tests: see test/bare_helper.rb.
    def sample(name)
      every = @sample ? @times.processor(name).to_i / SAMPLE_SECONDS : 1
      every > 1 ? { "SPATE_TEST_SAMPLE" => every.to_s } : {}
    end

    # The load path for a gem's tests. The server needs spate-bytes; spate-bytes needs no other gem.
    def paths(name)
      case name
      when %r{\Aserver/} then %w[server/test test server/lib bytes/lib]
      when %r{\Ajs/} then %w[js/test test lib js/lib]
      when %r{\Abytes/} then %w[bytes/test test bytes/lib]
      else %w[test lib]
      end
    end

    def other_ruby
      version = @other || OTHER_VERSION
      tests = @files.empty? ? ["--only", "ruby"] : @files
      command = ["bin/fresh", "--tree", "--keep", version, "bin/test", *tests]
      [Job.new(OTHER_RUBY, "Ruby tests under #{version}", command, counts: Counts::Nested, limit: 3600)]
    end

    def other_system
      system = File.read("/etc/os-release").include?('VERSION_ID="13"') ? "debian12" : "debian13"
      sample = @only.empty? && !@full
      # One worker, because other jobs run at the same time. For the sample, the setup of a small application is enough.
      tests = sample ? ["--setup", "try", *OTHER_SYSTEM_SAMPLE] : OTHER_SYSTEM_TESTS
      command = ["bin/fresh", system, "bin/test", "--workers", "1", *(@full ? %w[--only ruby] : tests)]
      minutes = sample ? SAMPLE_MINUTES : MINUTES
      [Job.new(OTHER_SYSTEM, "on #{system}", command, counts: Counts::InTime, limit: @full ? 3600 : minutes * 60,
                                                      early: true)]
    end

    def style
      missing = lack("rubocop") || (system("rubocop", "-V", %i[out err] => File::NULL) ? nil : "rubocop does not start")
      # RuboCop needs less time with YJIT, and with a large heap, which saves garbage collections.
      quick = { "RUBY_GC_HEAP_INIT_SLOTS" => "1000000", **(defined?(RubyVM::YJIT) ? { "RUBYOPT" => "--yjit" } : {}) }
      command = ["rubocop", "--no-color", "--format", "simple", *(styled if @sample)]
      [Job.new("style", "rubocop", command, counts: Counts::Whole, missing: missing, env: quick, early: true,
                                            limit: 1200)]
    end

    # The folders that RuboCop checks in a sample: not those of tests and benchmarks.
    def styled = Dir.glob("{{bin,exe,lib,ext,rakelib},{bytes,js,server}/{exe,lib,ext}}", base: @root)

    # The reason why a command cannot run here, or nil.
    def lack(program)
      return if ENV["PATH"].split(":").any? { |folder| File.executable?(File.join(folder, program)) }

      "#{program} is not installed"
    end

    # The reason why a target cannot be built here, or nil.
    def lacking(target)
      case target
      when "test-sanitizers" then no_sanitizers
      when "test-musl" then lack("musl-gcc")
      end
    end

    # The reason why clang cannot link a program with its sanitizers here, or nil.
    def no_sanitizers
      @no_sanitizers ||= [lack("clang") || (linked? ? nil : "clang's run-time library (libclang-rt-dev) is missing")]
      @no_sanitizers.first
    end

    def linked?
      flags = %w[-x c - -fsanitize=fuzzer,address,undefined -o /dev/null]
      IO.popen(["clang", *flags, { err: File::NULL }], "w") { |pipe| pipe.write(FUZZED) }
      $?.success?
    end

    def test_files
      found = @files.flat_map { |path| File.directory?(path) ? Dir[File.join(path, "**/*_test.rb")] : [path] }
      found = Dir[File.join(@root, "{,bytes/,js/}test/**/*_test.rb")] if @files.empty?
      found = found.map { |path| File.expand_path(path) }.uniq
      @full || @files.any? ? found : found.reject { |path| path.include?("/test/full/") }
    end

    def make(target, *variables) = ["make", "-s", "-C", "core", "-j2", target, *variables]
  end
end
