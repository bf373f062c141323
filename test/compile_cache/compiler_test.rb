# frozen_string_literal: true

require_relative "compile_cache_case"

module Spate
  module CompileCache
    class CompilerTest < CompileCacheCase
      def test_blobs_equal_those_of_a_real_load
        source = "# frozen_string_literal: true\nmodule A; def self.at = caller(0, 2); end\n$at = A.at\n"
        path = write("lib/a.rb", source)
        compile(path)
        iseq = RubyVM::InstructionSequence.load_from_binary(cache(target).blob(path))
        real = real_sequence(path)
        assert_equal ["<top (required)>", path, File.realpath(path)], [iseq.label, iseq.path, iseq.absolute_path]
        assert_equal real.disasm, iseq.disasm
      end

      # Up to 3.4.9 and 4.0.3, compile_file always uses parse.y (Ruby's bug 22023), which does not accept this pattern.
      def test_the_parser_is_that_of_a_real_load
        path = write("lib/a.rb", "case [1, 'a']\nin [one, 'a' | 'b' => two]\n  two\nend\n")
        assert_equal 0, compile(path)[:failed]
        sequence = RubyVM::InstructionSequence.load_from_binary(cache(target).blob(path))
        assert_equal real_sequence(path).disasm, sequence.disasm
      end

      # Since 4.0.4, code compiled while Coverage runs cannot be stored. Before, Coverage ignored it (bug 22018).
      def test_coverage_is_off_during_compilation
        cover = write("cover.rb", "require 'coverage'\nCoverage.start\nFile.write('#{folder}/ran', '')\n")
        path = write("lib/a.rb", "A = 1\n")
        before = ENV.fetch("RUBYOPT", nil)
        ENV["RUBYOPT"] = "-r#{cover}"
        assert_equal [1, 0], compile(path).to_h.values_at(:compiled, :failed)
        refute_path_exists "#{folder}/ran"
      ensure
        ENV["RUBYOPT"] = before
      end

      def test_compiling_runs_nothing
        path = write("lib/a.rb", "File.write(#{"#{folder}/ran".inspect}, '')\nBEGIN { puts 1 }\nraise 'ran'\n")
        assert_equal [1, 0], compile(path).to_h.values_at(:compiled, :failed)
        refute_path_exists "#{folder}/ran"
      end

      def test_files_with_compiler_warnings_are_marked
        always = write("lib/always.rb", "if (a = 1)\nend\n")
        asked = write("lib/asked.rb", "def a\n  unused = 1\nend\n")
        silent = write("lib/silent.rb", "A = 1\n")
        broken = write("lib/broken.rb", "def (\n")
        result = compile(always, asked, silent, broken)
        assert_equal [4, 3, 2], result.to_h.values_at(:compiled, :warned, :failed)
        flags = [always, asked, silent, broken].map { |path| cache(target).entry(path)[:flags] }
        assert_equal [Native::CompileCache::WARNS, Native::CompileCache::WARNS_VERBOSE, 0, Native::CompileCache::WARNS],
                     flags
      end

      def test_entries_have_the_state_of_the_file
        path = write("lib/a.rb", "1\n")
        compile(path)
        size, mtime, ctime, _, inode = Native.stat(path)
        entry = cache(target).entry(path)
        assert_equal [size, mtime, ctime, inode, Native.content_hash(path)],
                     entry.values_at(:size, :mtime_ns, :ctime_ns, :inode, :hash)
        assert_operator entry[:recorded_ns] - ctime, :>, Native::RACY_NS, "the compiler waits for a new file"
      end

      def test_missing_or_special_file_is_left_out
        path = write("lib/a.rb", "1\n")
        compile("#{folder}/none.rb", path, folder)
        assert_equal [path], cache(target).paths
      end

      def test_options_of_this_process_are_used
        path = write("lib/a.rb", "'a'.frozen?\n")
        script = <<~RUBY
          require "spate/native/boot"
          require "spate"
          require "spate/boot/entry"
          compiler = Spate::CompileCache::Compiler
          job = compiler::Job.new(path: ARGV[0], key: Spate::Boot::RubyKey.current, files: [ARGV[1]])
          compiler.new(jobs: 1).run([job]) { |result| abort result.error.inspect unless result.ok? }
          cache = Spate::Native::CompileCache.open(ARGV[0], key: Spate::Boot::RubyKey.current)
          print RubyVM::InstructionSequence.load_from_binary(cache.blob(ARGV[1])).eval
        RUBY
        caches.make
        { "--enable=frozen-string-literal" => "true", "--disable-gems" => "false" }.each do |option, frozen|
          out, = Open3.capture2e("ruby", "--disable-gems", option, "-I#{LIBRARY}", "-e", script, target, path)
          assert_equal frozen, out
        end
      end

      def test_unavailable_options_make_no_compile_cache
        path = write("lib/a.rb", "1\n")
        result = compile(path, key: "0" * 32)
        assert_match(/cannot be set/, result.error.last)
        refute_path_exists target
      end

      def test_dying_child_loses_only_its_job
        caches.make
        jobs = (1..3).map { |number| job(write("lib/#{number}.rb", "1\n"), path: "#{caches.folder}/gems/#{number}") }
        jobs[1].files << "#{folder}/fifo"
        File.mkfifo("#{folder}/fifo") # opening it blocks forever
        results = []
        Compiler.new(jobs: 2, seconds: 2).run(jobs) { |result| results << result }
        assert_equal [["#{caches.folder}/gems/2"], 3], [results.reject(&:ok?).map(&:path), results.size]
        assert_equal %w[1 3], Dir.children("#{caches.folder}/gems").sort
      end

      def test_no_child_process_is_left
        compile(write("lib/a.rb", "1\n"))
        assert_raises(Errno::ECHILD) { Process.wait(-1, Process::WNOHANG) }
      end

      private

      def target = "#{caches.folder}/gems/target.compiled"

      def job(*files, path: target, key: caches.ruby_key)
        Compiler::Job.new(path: path, key: key, files: files, weight: files.size)
      end

      def compile(*files, key: caches.ruby_key)
        caches.make
        results = []
        Compiler.new(jobs: 1).run([job(*files, key: key)]) { |result| results << result }
        results.first
      end

      # The instruction sequence that Ruby compiles when it loads the file.
      def real_sequence(path)
        sequence = nil
        TracePoint.new(:script_compiled) { |point| sequence ||= point.instruction_sequence }.enable { load(path) }
        sequence
      end
    end
  end
end
