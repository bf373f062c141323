# frozen_string_literal: true

require "compile_cache/compile_cache_case"

module Spate
  module Boot
    # Log::Outcomes.state must report the same result for a file as the loader, with the reason.
    class LogTest < CompileCache::CompileCacheCase
      PAST = Time.at(1_700_000_000)

      def setup
        super
        @file = write("one.rb", "ONE = 1\n")
        File.utime(PAST, PAST, @file)
        sleep 0.03
        @cache = cache
      end

      def cache(**change)
        size, mtime, ctime, _, inode = Native.stat(@file)
        state = { size: size, mtime: mtime, ctime: ctime, hash: Native.content_hash(@file),
                  recorded: Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond), inode: inode, flags: 0 }
        blob = change.delete(:blob) || RubyVM::InstructionSequence.compile_file(@file).to_binary
        Native::CompileCache.write("#{folder}/i.compiled", key: "0" * 32,
                                                           files: [[@file, state.merge(change).values, blob]])
        Native::CompileCache.open("#{folder}/i.compiled", key: "0" * 32)
      end

      def state(cache = @cache) = Log::Outcomes.state(@file, cache)

      # The result of the loader in a child process.
      def loaded
        script = "require 'spate/native/boot'; l = Spate::Native::Loader; l.install; l.recording = true; " \
                 "l.add(Spate::Native::CompileCache.open(#{"#{folder}/i.compiled".dump}, key: '0' * 32)); " \
                 "load #{@file.dump}; puts l.recorded.to_h.fetch(#{@file.dump})"
        output, = Open3.capture2e(RbConfig.ruby, "-I#{LIBRARY}", "-e", script)
        output.chomp.to_sym
      end

      def assert_state(outcome, reason)
        found, why = state

        assert_equal outcome, found
        reason ? assert_match(reason, why) : assert_nil(why)
        assert_equal found, loaded
      end

      def test_unchanged_file = assert_state(:hit, nil)

      def test_another_size
        File.write(@file, "ONE = 11\n")
        assert_state(:stale, /\Aits size differs\z/)
      end

      def test_another_content_of_the_same_size
        File.write(@file, "ONE = 2\n")
        assert_state(:stale, /\Aits content differs\z/)
      end

      def test_the_same_content_with_another_mtime
        File.write(@file, "ONE = 1\n")
        assert_state(:revalidated, /\Aits mtime differs; its content is the same\z/)
      end

      def test_another_ctime_alone
        File.link(@file, "#{folder}/two.rb")
        assert_state(:revalidated, /\Aits ctime differs/)
      end

      def test_times_close_to_the_recording
        @cache = cache(recorded: Native.stat(@file)[2])
        assert_state(:revalidated, /within 20 ms/)
      end

      def test_folder_is_linked_elsewhere
        FileUtils.mkdir_p(elsewhere = File.join(folder, "elsewhere"))
        @file = write("place/one.rb", "ONE = 1\n")
        File.utime(PAST, PAST, @file)
        sleep 0.03
        @cache = cache
        File.rename(File.dirname(@file), "#{elsewhere}/place")
        File.symlink("#{elsewhere}/place", File.dirname(@file))
        assert_state(:stale, /\Aits real path differs\z/)
      end

      def test_blob_that_ruby_rejects
        @cache = cache(blob: "no code")
        assert_state(:damaged, /\ARuby rejects its code\z/)
      end

      def test_file_that_compiles_with_warnings
        @cache = cache(flags: 1)
        assert_state(:warns, /prints a warning/)
      end

      def test_missing_file
        File.unlink(@file)
        assert_equal [:gone, "the file does not exist"], state
      end
    end
  end
end
