# frozen_string_literal: true

require_relative "boot_case"

module Spate
  class LoaderTest < BootCase
    def test_an_unchanged_file_comes_from_its_compile_cache
      path = cached("a.rb")

      assert_equal %i[compile_cache hit], loaded(path)
      assert_equal({ hit: 1, miss: 0, stale: 0, revalidated: 0, damaged: 0, warns: 0 }, Loader.counts)
    end

    def test_file_without_a_compile_cache_is_a_miss
      cached("a.rb")

      assert_equal %i[disk miss], loaded(source("b.rb"))
    end

    def test_all_load_methods_use_the_compile_cache
      paths = %w[a b c d e].map { |name| source("#{name}.rb") }
      Loader.add(cache(*paths.map { |path| file(path, "($from ||= []) << File.basename(__FILE__)") }))
      starter = source("start.rb", <<~RUBY)
        require "#{root}/a"
        require_relative "b"
        load "#{root}/c.rb"
        load "#{root}/d.rb", true
        Object.autoload(:SpateLoaderTestName, "#{root}/e.rb")
        begin
          SpateLoaderTestName
        rescue NameError
          nil
        end
      RUBY
      load starter

      assert_equal %w[a.rb b.rb c.rb d.rb e.rb], ran
      assert_equal [[starter, :miss], *paths.map { |path| [path, :hit] }], Loader.recorded
    end

    # Loads twelve files of 1 MB, so that each blob is read completely.
    def test_loaded_code_does_not_stay_in_memory_twice
      skip "needs /proc" unless File.exist?("/proc/self/smaps")
      paths = (1..12).map { |number| source("large#{number}.rb") }
      cache = cache(*paths.map { |path| file(path, "$from = '#{"x" * (1 << 20)}'") })
      Loader.add(cache)
      resident = paths.map { |path| load(path) && resident(cache.path) }

      assert_equal 12, Loader.counts[:hit]
      assert_operator resident.max, :>, 1 << 10, "a blob was read where it lies"
      assert_operator resident.max, :<, 7 << 10
      Loader.rest
      assert_operator resident(cache.path), :<, 1 << 10
      assert_equal %i[compile_cache hit], loaded(cached("after.rb"))
    end

    def test_code_from_a_compile_cache_is_as_ruby_would_have_compiled_it
      path = source("same.rb", <<~RUBY)
        # frozen_string_literal: true

        $from = [__FILE__, __dir__, __LINE__, "x".frozen?, __method__.inspect, __ENCODING__]
        module SpateSame
          def self.trace = caller_locations(0, 1).first
          def self.fail = raise("täst")
        end
      RUBY
      seen = [false, true].map do |from_compile_cache|
        Loader.add(cache([path, state(path), ISEQ.compile_file(path).to_binary])) if from_compile_cache
        Object.send(:remove_const, :SpateSame) if Object.const_defined?(:SpateSame)
        load path
        trace = SpateSame.trace
        error = assert_raises(RuntimeError) { SpateSame.fail }
        [*ran, SpateSame.method(:trace).source_location, trace.absolute_path, trace.lineno, trace.label,
         error.message, error.backtrace.first]
      end

      assert_equal seen[0], seen[1]
      assert_equal :hit, Loader.recorded.last.last
    end

    def test_first_added_compile_cache_comes_first
      path = source("a.rb")
      Loader.add(cache(file(path, "$from = :overlay")))
      Loader.add(cache(file(path)))

      assert_equal %i[overlay hit], loaded(path)
    end

    def test_outdated_overlay_does_not_hide_a_current_compile_cache
      path = source("a.rb")
      Loader.add(cache([path, state(path).tap { |list| list[0] += 1 }, blob(path, "$from = :overlay")]))
      Loader.add(cache(file(path)))

      assert_equal %i[compile_cache hit], loaded(path)
    end

    def test_a_compile_cache_is_added_once_and_lives_on
      path = source("a.rb")
      made = cache(file(path))
      2.times { Loader.add(made) }
      made = nil
      3.times { GC.start }

      assert_equal %i[compile_cache hit], loaded(path)
      Loader.rest
      assert_equal %i[compile_cache hit], loaded(path)
    end

    def test_only_a_compile_cache_can_be_added
      assert_raises(TypeError) { Loader.add("compile_cache") }
      assert_raises(TypeError, NoMethodError) { Native::CompileCache.new }
    end

    def test_recording_can_be_off
      path = cached("a.rb")
      Loader.recording = false
      load path

      assert_empty Loader.recorded
      assert_equal 1, Loader.counts[:hit]
    end

    def test_listener_is_called_before_the_file_runs
      path = cached("a.rb")
      other = source("b.rb")
      told = []
      Loader.listener = ->(outcome, name, _why) { told << [outcome, name, ran] }
      load path
      self.ran = nil
      load other

      assert_equal [[:hit, path, nil], [:miss, other, nil]], told
    end

    def test_disabled_loader_neither_loads_nor_counts
      path = cached("a.rb")
      Loader.enabled = false

      refute Loader.enabled
      assert_equal [:disk, nil], loaded(path)
      Loader.enabled = true
      assert_equal %i[compile_cache hit], loaded(path)
    end

    def test_a_file_that_would_warn_is_compiled_where_the_warning_would_show
      path = cached("a.rb", flags: Native::CompileCache::WARNS_VERBOSE)
      other = cached("b.rb", flags: Native::CompileCache::WARNS)
      outcomes = [nil, false, true].map { |verbose| with_verbose(verbose) { [loaded(path).last, loaded(other).last] } }

      assert_equal [%i[hit hit], %i[hit warns], %i[warns warns]], outcomes
    end

    def test_a_file_without_code_is_left_to_ruby
      path = source("a.rb")
      Loader.add(cache([path, state(path), ""]))

      assert_equal [%i[disk warns]] * 3, ([nil, false, true].map { |verbose| with_verbose(verbose) { loaded(path) } })
      assert_empty Loader.problems
    end

    def test_previous_exception_stays_the_last_error
      path = source("a.rb")
      Loader.add(cache([path, state(path), "nonsense"]))
      begin
        raise "before"
      rescue RuntimeError
        load path
        assert_equal "before", $!.message
      end
    end

    def test_exception_while_loading_is_that_of_the_file
      path = source("a.rb", "raise 'disk'")
      Loader.add(cache(file(path, "raise ArgumentError, 'compile_cache'")))

      assert_equal ["compile_cache", "#{path}:1"], assert_raises(ArgumentError) { load(path) }
        .then { |error| [error.message, error.backtrace.first[/\A[^:]+:\d+/]] }
    end

    def test_threads_load_at_the_same_time
      paths = Array.new(200) { |i| source("t#{i}.rb") }
      Loader.add(cache(*paths.map { |path| file(path, "Thread.pass; Thread.current[:ran] = __FILE__") }))
      threads = paths.each_slice(25).map do |part|
        Thread.new { part.map { |path| load(path) && Thread.current[:ran] } }
      end

      assert_equal paths, threads.flat_map(&:value)
      assert_equal 200, Loader.counts[:hit]
    end

    def test_under_gc_stress_and_compaction
      paths = Array.new(5) { |i| source("g#{i}.rb") }
      Loader.add(cache(*paths.map { |path| file(path, "$from = 'compile_cache' + __FILE__") }))
      GC.compact if GC.respond_to?(:compact)
      GC.stress = true
      ran = paths.map { |path| loaded(path).first }
      GC.stress = false

      assert_equal paths.map { |path| "compile_cache#{path}" }, ran
    ensure
      GC.stress = false
    end

    private

    # The resident size of a mapped file, in KiB.
    def resident(path)
      File.read("/proc/self/smaps")[/ #{Regexp.escape(path)}\n.*?^Rss: +(\d+)/m, 1].to_i
    end

    def with_verbose(value)
      before = $VERBOSE
      $VERBOSE = value
      yield
    ensure
      $VERBOSE = before
    end
  end
end
