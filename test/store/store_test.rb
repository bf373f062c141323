# frozen_string_literal: true

require "test_helper"
require "open3"
require "timeout"

module Spate
  class StoreTest < Minitest::Test
    def store = @store ||= Store.open(home: File.join(folder, "home"), env: {})

    def test_opening_writes_no_file
      assert store.writable?
      assert_nil store.package("0" * 64)
      assert_nil store.read("checks", "key")
      assert_nil store.name_lookup("http://gems.test/", "rake-1.0")
      refute_path_exists store.home
    end

    def test_texts
      assert store.write("specs", "rubygems-1/#{"a" * 64}", "Zeile ü\n\n")
      text = store.read("specs", "rubygems-1/#{"a" * 64}")
      assert_equal "Zeile ü\n\n", text
      assert_equal Encoding::UTF_8, text.encoding
      assert_empty Dir.children(store.path("tmp"))
    end

    def test_damaged_text_reads_as_missing
      store.write("checks", "key", "some text\n" * 100)
      path = store.path("checks", "key")
      whole = File.binread(path)
      ["", whole[0, 40], whole[0...-1], whole.sub("some", "soma"), "\0" * whole.bytesize].each do |damaged|
        File.binwrite(path, damaged)
        assert_nil store.read("checks", "key"), damaged[0, 20].inspect
      end
    end

    def test_keys_cannot_leave_their_folder
      ["../x", "a/../b", "/etc/x", "a/b/c", "", "."].each do |key|
        assert_raises(ArgumentError, key) { store.read("specs", key) }
      end
      assert_raises(ArgumentError) { store.remember_name("http://gems.test/", "../x", "a" * 64) }
    end

    def test_names
      assert store.remember_name("http://gems.test/", "rake-1.0", "a" * 64)
      assert store.remember_name("http://gems.test/", "rake-1.0", "b" * 64)
      assert_equal "b" * 64, store.name_lookup("http://gems.test/", "rake-1.0")
      assert_nil store.name_lookup("http://other.test/", "rake-1.0")
    end

    def test_interrupt_or_killed_thread_leaves_no_temporary_file
      store.write("checks", "first", "text")
      begun = Thread::Queue.new # a thread that has not started runs no ensure
      60.times do |round|
        writing = Thread.new do
          begun << true
          loop do
            store.write("checks", "key", "text\n" * 20_000)
            store.remember_name("http://gems.test/", "rake-1.0", "b" * 64)
          end
        rescue ::Interrupt
          nil
        end
        begun.pop
        sleep 0.003
        round.even? ? writing.raise(::Interrupt) : writing.kill
        writing.join

        assert_empty Dir.children(store.path("tmp"))
      end
    end

    def test_invalid_checksum
      store.remember_name("http://gems.test/", "rake-1.0", "../../etc")
      assert_nil store.name_lookup("http://gems.test/", "rake-1.0")
    end

    def test_locks_between_processes
      store.write("checks", "key", "the child shall use the same folder")
      reader, writer = IO.pipe
      child = fork do
        store.lock("store", shared: true) do
          writer.puts("held")
          sleep
        end
      end
      reader.gets
      assert_equal :shared, store.lock("store", shared: true, wait: false) { :shared }
      assert_raises(Store::Locked) { store.lock("store", wait: false) { flunk } }
      Process.kill(:KILL, child)
      Process.wait(child)
      child = nil
      assert_equal :alone, store.lock("store", wait: false) { :alone }
    ensure
      Process.kill(:KILL, child) && Process.wait(child) if child
    end

    def test_full_disk_is_reported_with_free_bytes
      error = Store::Error.for(Errno::ENOSPC.new, store.root)
      assert_kind_of Store::Full, error
      assert_equal 9, error.exit_code
      assert_match(/#{Regexp.escape(store.root)}.*\d+ bytes free/, error.message)
      assert_match(/prune/, error.hint)
    end

    def test_heavy_libraries_are_not_loaded
      script = <<~RUBY
        require "spate"
        s = Spate::Store.open(home: ARGV[0])
        s.write("bundles", "a" * 64, "text")
        s.remember_name("http://gems.test/", "rake-1.0", "b" * 64)
        s.name_lookup("http://gems.test/", "rake-1.0")
        s.read("bundles", "a" * 64)
        s.package("0" * 64)
        s.lock("store", shared: true) { nil }
        puts $LOADED_FEATURES.grep(%r{/(rubygems|bundler|net|openssl|psych|yaml|json|set|fileutils|pathname|tempfile|digest|open3|uri|time|optparse)\\b})
      RUBY
      command = [RbConfig.ruby, "--disable-gems", "-I#{File.expand_path("../../lib", __dir__)}", "-e", script]
      output, status = Open3.capture2e(*command, File.join(folder, "home"))
      assert status.success?, output
      assert_empty output
    end
  end
end
